// cooperative_groups: the block, the grid, and thread_group, a group of any kind, known at run time only.
#pragma once
#include "simt/barriers.h"
#include "simt/builtin_variables.h"
#include "simt/warp_values.h"

namespace cooperative_groups {

class thread_group {
  public:
    SIMT_INLINE thread_group(unsigned lanes, unsigned rank, unsigned size) : lanes_(lanes), rank_(rank), size_(size) {}
    SIMT_INLINE void sync() const {
        if (lanes_) __syncwarp(lanes_);
        else __syncthreads();
    }
    SIMT_INLINE unsigned long long size() const { return size_; }
    SIMT_INLINE unsigned long long num_threads() const { return size_; }
    SIMT_INLINE unsigned long long thread_rank() const { return rank_; }

  private:
    unsigned lanes_;  // 0: the whole block
    unsigned rank_, size_;
};

class thread_block {
  public:
    SIMT_INLINE static void sync() { __syncthreads(); }
    SIMT_INLINE static unsigned thread_rank() { return simt_linear_thread(); }
    SIMT_INLINE static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    SIMT_INLINE static unsigned num_threads() { return size(); }
    SIMT_INLINE static dim3 group_index() { return dim3(blockIdx); }
    SIMT_INLINE static dim3 thread_index() { return dim3(threadIdx); }
    SIMT_INLINE static dim3 group_dim() { return blockDim; }
    SIMT_INLINE static dim3 dim_threads() { return blockDim; }
    SIMT_INLINE operator thread_group() const { return thread_group(0, thread_rank(), size()); }
};

// Its sync() needs a cooperative launch (cudaLaunchCooperativeKernel).
class grid_group {
  public:
    SIMT_INLINE static bool is_valid() { return simt_is_cooperative(); }
    SIMT_INLINE static void sync() { simt_grid_barrier(); }
    SIMT_INLINE static unsigned long long num_blocks() {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    SIMT_INLINE static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
    SIMT_INLINE static unsigned long long size() { return num_threads(); }
    SIMT_INLINE static unsigned long long block_rank() {
        return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    SIMT_INLINE static unsigned long long thread_rank() {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    SIMT_INLINE static dim3 block_index() { return dim3(blockIdx); }
    SIMT_INLINE static dim3 group_dim() { return gridDim; }
    SIMT_INLINE static dim3 dim_blocks() { return gridDim; }
};

SIMT_INLINE thread_block this_thread_block() { return thread_block(); }
SIMT_INLINE grid_group this_grid() { return grid_group(); }

template <class Group>
SIMT_INLINE void sync(const Group& group) {
    group.sync();
}
template <class Group>
SIMT_INLINE void synchronize(const Group& group) {
    group.sync();
}

}  // namespace cooperative_groups
