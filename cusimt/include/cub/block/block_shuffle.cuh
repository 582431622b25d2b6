// cub::BlockShuffle: values handed on to other threads of the block.
#pragma once
#include "cub/util_ptx.cuh"

CUB_NAMESPACE_BEGIN

template <class T, int BlockX, int BlockY = 1, int BlockZ = 1, int Unused = 0>
class BlockShuffle {
    typedef simt_detail::block_shape<BlockX, BlockY, BlockZ> shape;
    struct storage {
        T values[shape::threads];
    };

  public:
    struct TempStorage : Uninitialized<storage> {};

    SIMT_INLINE BlockShuffle() : storage_(private_storage()), thread_(shape::thread()) {}
    SIMT_INLINE explicit BlockShuffle(TempStorage& temp) : storage_(temp.Alias()), thread_(shape::thread()) {}

    // The value of thread t + distance, where there is one.
    SIMT_INLINE void Offset(T input, T& output, int distance = 1) {
        share(input);
        int source = thread_ + distance;
        if (source >= 0 && source < shape::threads) output = storage_.values[source];
    }
    SIMT_INLINE void Rotate(T input, T& output, unsigned int distance = 1) {
        share(input);
        output = storage_.values[(static_cast<unsigned>(thread_) + distance) % shape::threads];
    }
    // Items move one place up (down); the first (last) item of the block stays as it is.
    template <int Items>
    SIMT_INLINE void Up(T (&input)[Items], T (&previous)[Items]) {
        share(input[Items - 1]);
        for (int i = Items - 1; i > 0; --i) previous[i] = input[i - 1];
        if (thread_ > 0) previous[0] = storage_.values[thread_ - 1];
    }
    template <int Items>
    SIMT_INLINE void Up(T (&input)[Items], T (&previous)[Items], T& block_suffix) {
        Up(input, previous);
        block_suffix = storage_.values[shape::threads - 1];
    }
    template <int Items>
    SIMT_INLINE void Down(T (&input)[Items], T (&next)[Items]) {
        share(input[0]);
        for (int i = 0; i < Items - 1; ++i) next[i] = input[i + 1];
        if (thread_ < shape::threads - 1) next[Items - 1] = storage_.values[thread_ + 1];
    }
    template <int Items>
    SIMT_INLINE void Down(T (&input)[Items], T (&next)[Items], T& block_prefix) {
        Down(input, next);
        block_prefix = storage_.values[0];
    }

  private:
    SIMT_INLINE static storage& private_storage() {
        __shared__ Uninitialized<storage> temp;
        return temp.Alias();
    }
    SIMT_INLINE void share(T value) {
        storage_.values[thread_] = value;
        __syncthreads();
    }

    storage& storage_;
    int thread_;
};

CUB_NAMESPACE_END
