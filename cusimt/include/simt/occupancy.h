// The occupancy calculator's functions that take a kernel: which block size keeps the most threads of a multiprocessor busy?
#pragma once
#include <stddef.h>

#include "simt/kernel_overloads.h"

#pragma GCC visibility push(hidden)
template <class Function>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function* function, int block_size,
                                                          size_t dynamic_shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, simt::address_of(function), block_size, dynamic_shared);
}
template <class Function>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Function* function, int block_size,
                                                                   size_t dynamic_shared, unsigned int) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, simt::address_of(function), block_size, dynamic_shared);
}
template <class Function>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, Function* function, int blocks, int block_size) {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, simt::address_of(function), blocks, block_size);
}

// The best such block, in whole warps or as large as the limit, and the smallest grid that fills the device with it.
// `shared_bytes_of(threads)`: the dynamic shared memory of a block of that size.
template <class Function, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid_size, int* block_size, Function* function,
                                                           SharedBytes shared_bytes_of, int block_limit = 0) {
    int device = 0, processors = 0, most_threads = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int first = block_limit > 0 && block_limit < 1024 ? block_limit : 1024;
    for (int size = first; size > 0 && error == cudaSuccess; size = (size - 1) / 32 * 32) {
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, simt::address_of(function), size,
                                                              static_cast<size_t>(shared_bytes_of(size)));
        if (blocks * size <= most_threads) continue;
        most_threads = blocks * size;
        *block_size = size;
        *grid_size = blocks * processors;
    }
    return error;
}
template <class Function, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid_size, int* block_size, Function* function,
                                                                    SharedBytes shared_bytes_of, int block_limit = 0,
                                                                    unsigned int = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid_size, block_size, function, shared_bytes_of, block_limit);
}
template <class Function>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Function* function, size_t dynamic_shared = 0,
                                               int block_limit = 0) {
    auto shared_bytes_of = [dynamic_shared](int) { return dynamic_shared; };
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid_size, block_size, function, shared_bytes_of, block_limit);
}
template <class Function>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size, Function* function,
                                                        size_t dynamic_shared = 0, int block_limit = 0, unsigned int = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, function, dynamic_shared, block_limit);
}
#pragma GCC visibility pop
