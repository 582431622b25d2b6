// Attributes of streams, such as the window of memory that is to stay in the L2 cache. They change no value: each stream keeps
// what it was given.
#include <map>
#include <mutex>

#include "host_call.h"
#include "streams.h"

using namespace simt;

namespace {
using Attributes = std::map<cudaStreamAttrID, cudaStreamAttrValue>;
std::mutex lock;
std::map<cudaStream_t, Attributes>& all() {
    static auto* attributes = new std::map<cudaStream_t, Attributes>;
    return *attributes;
}

bool is_valid(cudaStreamAttrID attribute, const cudaStreamAttrValue& value) {
    if (attribute != cudaStreamAttributeAccessPolicyWindow) {
        return attribute == cudaStreamAttributeSynchronizationPolicy || attribute == cudaStreamAttributePriority;
    }
    const cudaAccessPolicyWindow& window = value.accessPolicyWindow;
    bool misses_stay = window.missProp == cudaAccessPropertyPersisting;
    return window.hitRatio >= 0 && window.hitRatio <= 1 && !misses_stay;
}
}  // namespace

extern "C" {
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
    if (int error = check_stream(stream)) return failed(error);
    if (!value || !is_valid(attribute, *value)) return failed(cudaErrorInvalidValue);
    std::lock_guard guard(lock);
    all()[stream][attribute] = *value;
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
    if (int error = check_stream(stream)) return failed(error);
    if (!value || !is_valid(attribute, {})) return failed(cudaErrorInvalidValue);
    std::lock_guard guard(lock);
    *value = all()[stream][attribute];
    return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    if (int error = check_stream(to) ? check_stream(to) : check_stream(from)) return failed(error);
    std::lock_guard guard(lock);
    all()[to] = all()[from];
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void) { return failed(sticky_error()); }
}
