// Cooperative groups of more than one warp.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// Blocks of 256 threads: every tile adds its numbers up, scans them, and passes one around.
template <unsigned Size>
__global__ void tiles_kernel(const int* in, int* sums, int* before, int* upto, int* passed, int* votes) {
    __shared__ cg::block_tile_memory<256> room;
    cg::thread_block block = cg::this_thread_block(room);
    auto tile = cg::tiled_partition<Size>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
    int total = cg::reduce(tile, value, cg::plus<int>());
    int largest = cg::reduce(tile, value, cg::greater<int>());
    if (tile.thread_rank() == 0) {
        int which = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
        sums[2 * which] = total;
        sums[2 * which + 1] = largest;
    }
    before[i] = cg::exclusive_scan(tile, value);
    upto[i] = cg::inclusive_scan(tile, value);
    passed[i] = tile.shfl(value, Size - 3);
    votes[i] = 10 * tile.any(value == 7) + tile.all(value < 100);
}

// Tiles within tiles, and a tile that goes on while its neighbour has not begun: its barrier is its own.
__global__ void nested_kernel(const int* in, int* out) {
    auto block = cg::this_thread_block();
    auto half = cg::tiled_partition<128>(block);
    auto quarter = cg::tiled_partition<64>(block);
    __shared__ int left[2];
    int sum = cg::reduce(quarter, in[threadIdx.x], cg::plus<int>());
    if (half.meta_group_rank() == 0) {
        for (int round = 0; round < 3; ++round) {
            if (half.thread_rank() == 0) left[0] = round == 0 ? 1 : left[0] * 10;
            half.sync();
        }
    }
    block.sync();
    out[threadIdx.x] = 1000 * left[0] + cg::reduce(half, sum, cg::less<int>());
}

#define TILES(SIZE)                                                                                                    \
    extern "C" void tiles_##SIZE(int* in, int* sums, int* before, int* upto, int* passed, int* votes, int blocks) {    \
        tiles_kernel<SIZE><<<blocks, 256>>>(in, sums, before, upto, passed, votes);                                    \
    }
TILES(32)
TILES(64)
TILES(256)

extern "C" void nested(int* in, int* out) { nested_kernel<<<1, 256>>>(in, out); }
