// Kernel nodes: a launch that is kept, with copies of its arguments.
#include <string.h>

#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "execution.h"
#include "graphs.h"

namespace simt {

namespace {
__thread KernelWork* kept_launch __attribute__((tls_model("initial-exec")));

std::unordered_map<const void*, KernelWork>& remembered() {
    static auto* kernels = new std::unordered_map<const void*, KernelWork>;
    return *kernels;
}
std::mutex remembered_lock;  // nothing else is locked under it

// Uses of memory and findings point to a launch's texts, and may outlive the graph.
const char* kept_text(const char* text) {
    if (!text) return nullptr;
    static std::mutex lock;
    static auto* texts = new std::unordered_set<std::string>;
    std::lock_guard guard(lock);
    return texts->insert(text).first->c_str();
}
}  // namespace

KernelWork::KernelWork(const simt_launch& launch) : launch_(launch) {
    launch_.kernel = kept_text(launch.kernel);
    launch_.file = kept_text(launch.file);
    closure_.resize((launch.closure_bytes + sizeof(Chunk) - 1) / sizeof(Chunk));
    memcpy(closure_.data(), launch.closure, launch.closure_bytes);
}

simt_launch KernelWork::launch(void* stream) const {
    simt_launch launch = launch_;
    launch.stream = stream;
    launch.closure = const_cast<Chunk*>(closure_.data());
    return launch;
}

const void* KernelWork::function() const {
    return launch_.function ? launch_.function : reinterpret_cast<const void*>(launch_.entry);
}

void* KernelWork::argument(size_t index) const {
    return const_cast<char*>(closure_.data()->bytes) + launch_.arguments[index].offset;
}

void KernelWork::configure(const cudaKernelNodeParams& parameters) {
    const dim3 &grid = parameters.gridDim, &block = parameters.blockDim;
    launch_.grid[0] = grid.x, launch_.grid[1] = grid.y, launch_.grid[2] = grid.z;
    launch_.block[0] = block.x, launch_.block[1] = block.y, launch_.block[2] = block.z;
    launch_.dynamic_shared = parameters.sharedMemBytes;
    for (size_t i = 0; i < launch_.argument_count; ++i) {
        memcpy(argument(i), parameters.kernelParams[i], launch_.arguments[i].bytes);
    }
}

void KernelWork::describe(cudaKernelNodeParams* parameters) {
    pointers_.clear();
    for (size_t i = 0; i < launch_.argument_count; ++i) pointers_.push_back(argument(i));
    *parameters = {const_cast<void*>(function()),
                   dim3(launch_.grid[0], launch_.grid[1], launch_.grid[2]),
                   dim3(launch_.block[0], launch_.block[1], launch_.block[2]),
                   unsigned(launch_.dynamic_shared),
                   pointers_.data(),
                   nullptr};
}

bool is_kept(const simt_launch& launch) {
    if (!kept_launch) return false;
    *kept_launch = KernelWork(launch);
    return true;
}

void remember_kernel(const KernelWork& kernel) {
    std::lock_guard lock(remembered_lock);
    remembered()[kernel.function()] = kernel;
}

void forget_kernels_of(const simt_module& module) {
    std::lock_guard lock(remembered_lock);
    std::erase_if(remembered(), [&](const auto& each) { return each.second.module() == &module; });
}

int make_kernel(const cudaKernelNodeParams& parameters, const KernelWork* known, KernelWork* made) {
    if (!parameters.func) return cudaErrorInvalidDeviceFunction;
    if (parameters.extra) return parameters.kernelParams ? cudaErrorInvalidValue : cudaErrorNotSupported;
    std::lock_guard lock(graphs_lock);
    bool is_known = known && known->function() == parameters.func;
    if (is_known) {
        *made = *known;
    } else {
        std::lock_guard lock_of_map(remembered_lock);
        auto found = remembered().find(parameters.func);
        is_known = found != remembered().end();
        if (is_known) *made = found->second;
    }
    if (is_known) {
        if (made->argument_count() && !parameters.kernelParams) return cudaErrorInvalidValue;
        made->configure(parameters);
        simt_launch launch = made->launch(nullptr);
        kept_launch = made;
        int error = simt_launch_kernel(&launch);  // validates the configuration
        kept_launch = nullptr;
        return error;
    }
    simt_untyped_launch launch = {.function = parameters.func,
                                  .grid = parameters.gridDim,
                                  .block = parameters.blockDim,
                                  .arguments = parameters.kernelParams,
                                  .shared_bytes = parameters.sharedMemBytes};
    kept_launch = made;
    int error = simt_launch_untyped(&launch);
    kept_launch = nullptr;
    if (!error) remember_kernel(*made);
    return error;
}

}  // namespace simt
