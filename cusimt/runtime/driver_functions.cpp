// The driver API's functions: their attributes, occupancy, and launches.
#include <algorithm>
#include <vector>

#include "device_model.h"
#include "driver_contexts.h"
#include "driver_modules.h"
#include "execution.h"
#include "kernel_facts.h"

using namespace simt;

namespace {
// A call about a function, for as long as nothing can unload its module.
template <class Call>
CUresult with_function(CUfunction function, Call call) {
    std::lock_guard lock(launch_lock);
    if (CUresult refused = refuse_driver_call()) return refused;
    if (!is_function(function)) return CUDA_ERROR_INVALID_HANDLE;
    return driver_call([&] { return call(function->kernel); });
}

// The parameters in one buffer: `extra` is a list of names and values.
CUresult unpack(const simt_module_kernel& kernel, void** extra, std::vector<void*>* parameters) {
    char* buffer = nullptr;
    const size_t* bytes = nullptr;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<char*>(extra[1]);
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = static_cast<const size_t*>(extra[1]);
        else return CUDA_ERROR_INVALID_VALUE;
    }
    if (!buffer || !bytes) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < kernel.parameter_count; ++i) {
        const simt_argument& each = kernel.parameters[i];
        if (each.offset + each.bytes > *bytes) return CUDA_ERROR_INVALID_VALUE;
        parameters->push_back(buffer + each.offset);
    }
    return CUDA_SUCCESS;
}

cudaError_t launch(const simt_module_kernel& kernel, dim3 grid, dim3 block, unsigned shared_bytes, CUstream stream,
                   void** parameters, void** extra, int cooperative) {
    std::vector<void*> unpacked;
    if (kernel.parameter_count && !parameters == !extra) return cudaErrorInvalidValue;
    if (kernel.parameter_count && extra) {
        if (CUresult refused = unpack(kernel, extra, &unpacked)) return cudaError_t(refused);
        parameters = unpacked.data();
    }
    simt_untyped_launch untyped = {kernel.function, kernel.kernel, kernel.file,  kernel.line, cooperative, grid,
                                   block,           parameters,    shared_bytes, stream};
    return kernel.launcher(&untyped);
}

cudaError_t read_attribute(const simt_module_kernel& kernel, CUfunction_attribute attribute, int* value) {
    cudaFuncAttributes all;
    if (cudaError_t error = cudaFuncGetAttributes(&all, kernel.function)) return error;
    switch (attribute) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = all.maxThreadsPerBlock; break;
        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = int(all.sharedSizeBytes); break;
        case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = int(all.constSizeBytes); break;
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = int(all.localSizeBytes); break;
        case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = all.numRegs; break;
        case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = all.ptxVersion; break;
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = all.binaryVersion; break;
        case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = all.maxDynamicSharedSizeBytes; break;
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = all.preferredShmemCarveout; break;
        default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}
}  // namespace

extern "C" {
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    return with_function(function, [=](const auto& kernel) { return read_attribute(kernel, attribute, value); });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    bool can_be_set = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
                      attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    if (!can_be_set) return CUDA_ERROR_INVALID_VALUE;
    return with_function(function, [=](const auto& kernel) {
        return cudaFuncSetAttribute(kernel.function, static_cast<cudaFuncAttribute>(attribute), value);
    });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
    return with_function(function, [](const auto&) { return cudaSuccess; });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    return with_function(function, [=](const auto&) { return *module = function->module, cudaSuccess; });
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    return with_function(function, [=](const auto&) { return *name = function->symbol.c_str(), cudaSuccess; });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
    if (!offset) return CUDA_ERROR_INVALID_VALUE;
    return with_function(function, [=](const auto& kernel) {
        if (index >= kernel.parameter_count) return cudaErrorInvalidValue;
        *offset = kernel.parameters[index].offset;
        if (bytes) *bytes = kernel.parameters[index].bytes;
        return cudaSuccess;
    });
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void** parameters, void** extra) {
    return with_function(function, [&](const auto& kernel) {
        dim3 grid(grid_x, grid_y, grid_z), block(block_x, block_y, block_z);
        return launch(kernel, grid, block, shared_bytes, stream, parameters, extra, 0);
    });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                                   CUstream stream, void** parameters) {
    return with_function(function, [&](const auto& kernel) {
        dim3 grid(grid_x, grid_y, grid_z), block(block_x, block_y, block_z);
        return launch(kernel, grid, block, shared_bytes, stream, parameters, nullptr, 1);
    });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block_size, size_t dynamic_shared) {
    return with_function(function, [=](const auto& kernel) {
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel.function, block_size, dynamic_shared);
    });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int block_size,
                                                              size_t dynamic_shared, unsigned int) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_shared);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* min_grid, int* block_size, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t dynamic_shared, int limit) {
    if (!min_grid || !block_size) return CUDA_ERROR_INVALID_VALUE;
    return with_function(function, [=](const auto& kernel) {
        int most_threads = 0, first = limit > 0 ? std::min(limit, kThreadsPerBlock) : kThreadsPerBlock;
        for (int size = first; size > 0; size = (size - 1) / 32 * 32) {
            int blocks = resident_blocks_of(kernel.function, size, shared_of ? shared_of(size) : dynamic_shared);
            if (blocks * size <= most_threads) continue;
            most_threads = blocks * size;
            *block_size = size;
            *min_grid = blocks * device_model().multiprocessors;
        }
        return cudaSuccess;
    });
}
}
