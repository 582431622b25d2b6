// c = a * b for 16 x 8 x 16 halves by one warp, without wmma: ldmatrix loads the fragments, mma.sync multiplies.
#include <cstdio>
#include <cuda_fp16.h>

// --8<-- [start:fragments]
// 8 x 8 halves each: four of a, two of b. Lane l names the address of row l % 8 of matrix l / 8.
__device__ void load(unsigned (&part)[4], const half* row) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
                 : "r"(address));
}

__device__ void load_transposed(unsigned (&part)[2], const half* row) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(part[0]), "=r"(part[1])
                 : "r"(address));
}

__device__ void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// --8<-- [end:fragments]

__global__ void product(const half* a, const half* b, float* c) {
    __shared__ alignas(16) half a_tile[16][16 + 8], b_tile[16][8];
    const int lane = static_cast<int>(threadIdx.x);
    for (int i = lane; i < 16 * 16; i += 32) a_tile[i / 16][i % 16] = a[i];
    for (int i = lane; i < 16 * 8; i += 32) b_tile[i / 8][i % 8] = b[i];
    __syncwarp();
    // --8<-- [start:product]
    unsigned left[4], right[2];
    float sum[4] = {};
    load(left, &a_tile[lane % 16][lane / 16 * 8]);
    load_transposed(right, b_tile[lane % 16]);
    multiply(sum, left, right);
    for (int e = 0; e < 4; ++e) {  // documented: rows 8 apart, columns in pairs
        c[(lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = sum[e];
    }
    // --8<-- [end:product]
}

int main() {
    half *a, *b;
    float* c;
    cudaMallocManaged(&a, 16 * 16 * sizeof(half));
    cudaMallocManaged(&b, 16 * 8 * sizeof(half));
    cudaMallocManaged(&c, 16 * 8 * sizeof(float));
    for (int i = 0; i < 16 * 16; ++i) a[i] = __float2half(static_cast<float>(i % 7 - 3));
    for (int i = 0; i < 16 * 8; ++i) b[i] = __float2half(static_cast<float>(i % 5 - 2));
    product<<<1, 32>>>(a, b, c);
    if (const cudaError_t error = cudaDeviceSynchronize()) {
        printf("%s\n", cudaGetErrorString(error));
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < 16 * 8; ++i) {
        float sum = 0;
        for (int k = 0; k < 16; ++k) sum += __half2float(a[i / 8 * 16 + k]) * __half2float(b[k * 8 + i % 8]);
        wrong += sum != c[i];  // whole numbers: exact in every order
    }
    printf("%d of 128 elements differ\n", wrong);
    return wrong != 0;
}
