// Sparse matrices and graphs.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "checks.h"

/* ---- CSR: y = A x, a thread per row, a warp per row, any power of two per row ---------------------------------------------- */
template <typename IndexType, typename ValueType>
__global__ void
spmv_csr_scalar_kernel(const IndexType num_rows,
                       const IndexType * Ap,
                       const IndexType * Aj,
                       const ValueType * Ax,
                       const ValueType * x,
                             ValueType * y)
{
    const IndexType thread_id = blockDim.x * blockIdx.x + threadIdx.x;
    const IndexType grid_size = gridDim.x * blockDim.x;

    for(IndexType row = thread_id; row < num_rows; row += grid_size)
    {
        ValueType sum = 0;
        for (IndexType jj = Ap[row]; jj < Ap[row + 1]; jj++)
            sum += Ax[jj] * x[Aj[jj]];
        y[row] = sum;
    }
}

template <typename IndexType, typename ValueType, unsigned int VECTORS_PER_BLOCK, unsigned int THREADS_PER_VECTOR>
__global__ void
__launch_bounds__(VECTORS_PER_BLOCK * THREADS_PER_VECTOR,1)
spmv_csr_vector_kernel(const IndexType num_rows, const IndexType * Ap, const IndexType * Aj, const ValueType * Ax, const ValueType * x, ValueType * y)
{
    __shared__ IndexType ptrs[VECTORS_PER_BLOCK][2];

    const IndexType thread_lane = threadIdx.x & (THREADS_PER_VECTOR - 1);
    const IndexType vector_lane = threadIdx.x / THREADS_PER_VECTOR;
    const IndexType row = blockIdx.x * VECTORS_PER_BLOCK + vector_lane;
    const unsigned mask = __ballot_sync(0xffffffffu, row < num_rows);

    if (row < num_rows)
    {
        // use two threads to fetch Ap[row] and Ap[row+1]
        if (thread_lane < 2) ptrs[vector_lane][thread_lane] = Ap[row + thread_lane];
        __syncwarp(mask);
        const IndexType row_start = ptrs[vector_lane][0], row_end = ptrs[vector_lane][1];
        ValueType sum = 0;
        for (IndexType jj = row_start + thread_lane; jj < row_end; jj += THREADS_PER_VECTOR)
            sum += Ax[jj] * x[Aj[jj]];
        for (unsigned int step = THREADS_PER_VECTOR / 2; step > 0; step /= 2)
            sum += __shfl_down_sync(mask, sum, step, THREADS_PER_VECTOR);
        if (thread_lane == 0) y[row] = sum;
    }
}

template <unsigned int THREADS_PER_VECTOR>
static void spmv_vector(int rows, const int *Ap, const int *Aj, const double *Ax, const double *x, double *y)
{
    const unsigned int VECTORS_PER_BLOCK = 64 / THREADS_PER_VECTOR;
    const int NUM_BLOCKS = (rows + VECTORS_PER_BLOCK - 1) / VECTORS_PER_BLOCK;
    spmv_csr_vector_kernel<int, double, VECTORS_PER_BLOCK, THREADS_PER_VECTOR> <<<NUM_BLOCKS, VECTORS_PER_BLOCK * THREADS_PER_VECTOR>>>
        (rows, Ap, Aj, Ax, x, y);
}

extern "C" void spmv(int width, int rows, const int *Ap, const int *Aj, const double *Ax, const double *x, double *y)
{
    switch (width)
    {
        case 1: spmv_csr_scalar_kernel<int,double> <<<2,32>>> (rows,Ap,Aj,Ax,x,y); break;
        case 2: spmv_vector<2>(rows, Ap, Aj, Ax, x, y); break;
        case 8: spmv_vector<8>(rows, Ap, Aj, Ax, x, y); break;
        default: spmv_vector<32>(rows, Ap, Aj, Ax, x, y);
    }
}

/* ---- COO: y += A x, with atomics ------------------------------------------------------------------------------------------------ */
struct Entry { int row, col; float value; };

__global__ void spmv_coo_kernel(const Entry *__restrict__ entries, int nnz, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nnz) return;
    Entry e = entries[i];
    atomicAdd(y + e.row, e.value * x[e.col]);
}
extern "C" void spmv_coo(const Entry *entries, int nnz, const float *x, float *y, int rows)
{
    cudaMemset(y, 0, rows * sizeof(float));
    spmv_coo_kernel<<<(nnz + 63) / 64, 64>>>(entries, nnz, x, y);
}

/* ---- breadth first, by frontiers ------------------------------------------------------------------------------------------------------ */
#define UNREACHED (-1)

__global__ void bfs_frontier(const int *offsets, const int *neighbours, int *distance, const int *frontier, int size, int *next, int *next_size, int level)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
        const int v = frontier[i];
        for (int e = offsets[v]; e < offsets[v + 1]; e++) {
            const int u = neighbours[e];
            // who comes first puts it on the list
            if (distance[u] == UNREACHED && atomicCAS(&distance[u], UNREACHED, level) == UNREACHED)
                next[atomicAdd(next_size, 1)] = u;
        }
    }
}
extern "C" void bfs(const int *offsets, const int *neighbours, int *distance, int vertices, int source)
{
    int *lists[2], *size, host_size = 1, zero = 0;
    for (auto &list : lists) CUDA_CHECK(cudaMalloc(&list, vertices * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&size, sizeof(int)));
    CUDA_CHECK(cudaMemset(distance, 0xff, vertices * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(distance + source, &zero, sizeof(int), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(lists[0], &source, sizeof(int), cudaMemcpyHostToDevice));
    for (int level = 1; host_size > 0; ++level) {
        CUDA_CHECK(cudaMemset(size, 0, sizeof(int)));
        bfs_frontier<<<2, 32>>>(offsets, neighbours, distance, lists[(level - 1) & 1], host_size, lists[level & 1], size, level);
        CUDA_CHECK(cudaMemcpy(&host_size, size, sizeof(int), cudaMemcpyDeviceToHost));
    }
    for (int *list : lists) CUDA_CHECK(cudaFree(list));
    CUDA_CHECK(cudaFree(size));
}

/* ---- connected components: union-find, hooked by compare-and-swap ------------------------------------------------------------------------ */
__global__ void init_components(int *parent, int n)
{
    int v = threadIdx.x + blockIdx.x * blockDim.x;
    if (v < n) parent[v] = v;
}

__device__ int find_root(const int *parent, int v)
{
    while (true) {
        const int p = atomicAdd(const_cast<int *>(parent) + v, 0);   // an atomic load
        if (p == v) return v;
        v = p;
    }
}

__global__ void hook(const int2 *edges, int count, int *parent)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= count) return;
    int u = find_root(parent, edges[i].x), v = find_root(parent, edges[i].y);
    while (u != v) {
        if (u < v) { int t = u; u = v; v = t; }
        const int old = atomicCAS(&parent[u], u, v);   // the larger root below the smaller one
        if (old == u) break;
        u = find_root(parent, old);
        v = find_root(parent, v);
    }
}

__global__ void flatten(int *parent, int *label, int n)
{
    int v = threadIdx.x + blockIdx.x * blockDim.x;
    if (v >= n) return;
    int root = v;
    while (parent[root] != root) root = parent[root];
    label[v] = root;
}

extern "C" void components(const int2 *edges, int count, int *parent, int *label, int n)
{
    const dim3 threads(64), blocks((n + 63) / 64);
    init_components<<<blocks, threads>>>(parent, n);
    if (count) hook<<<(count + 63) / 64, threads>>>(edges, count, parent);
    flatten<<<blocks, threads>>>(parent, label, n);
}

/* ---- page rank, pulled along incoming edges, until it no longer moves ---------------------------------------------------------------------- */
namespace cg = cooperative_groups;

__global__ void page_rank_step(const int *offsets, const int *sources, const int *out_degree, const float *rank, float *next, float *moved, int n, float damping)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) / tile.size();
    if (v >= n) return;
    float sum = 0.f;
    for (int e = offsets[v] + tile.thread_rank(); e < offsets[v + 1]; e += tile.num_threads()) sum += rank[sources[e]] / out_degree[sources[e]];
    sum = cg::reduce(tile, sum, cg::plus<float>());
    if (tile.thread_rank() == 0) {
        next[v] = (1.f - damping) / n + damping * sum;
        atomicAdd(moved, fabsf(next[v] - rank[v]));
    }
}
extern "C" void page_rank(const int *offsets, const int *sources, const int *out_degree, float *rank, float *scratch, int n, int max_steps)
{
    float *moved;   // seen by host and device
    CUDA_CHECK(cudaMallocManaged(&moved, sizeof(float)));
    for (int s = 0; s < max_steps; ++s) {
        *moved = 0.f;
        page_rank_step<<<(n * 8 + 63) / 64, 64>>>(offsets, sources, out_degree, rank, scratch, moved, n, 0.85f);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(rank, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice));
        if (*moved < 1e-7f) break;
    }
    CUDA_CHECK(cudaFree(moved));
}
