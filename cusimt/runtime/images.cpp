// What the resources of textures and surfaces describe, and the checks of accesses to them.
#include "arrays.h"
#include "execution.h"
#include "findings.h"
#include "global_races.h"
#include "textures.h"

namespace simt {

namespace {
constexpr size_t kAlignment = 512, kPitchAlignment = 32;  // as in cudaDeviceProp

Image of_array(const cudaArray& array) {
    Image image{reinterpret_cast<uintptr_t>(array.memory),
                {array.width(), array.height(), array.depth()},
                array.row_bytes(),
                array.element,
                array.channels};
    image.is_layered = array.flags & cudaArrayLayered;
    image.dimensions =
        image.is_layered ? 1 + (array.extent.height > 0) : 1 + (array.extent.height > 0) + (array.extent.depth > 0);
    return image;
}
}  // namespace

Image image_of(const cudaResourceDesc& resource, cudaError_t* error) {
    *error = cudaErrorInvalidValue;
    if (resource.resType == cudaResourceTypeArray) {
        if (!is_live_array(resource.res.array.array)) return {};
        *error = cudaSuccess;
        return of_array(*resource.res.array.array);
    }
    bool is_linear = resource.resType == cudaResourceTypeLinear;
    if (!is_linear && resource.resType != cudaResourceTypePitch2D) {
        *error = cudaErrorNotSupported;  // a mipmapped array
        return {};
    }
    const auto& flat = resource.res.linear;
    const auto& pitched = resource.res.pitch2D;
    const cudaChannelFormatDesc& channels = is_linear ? flat.desc : pitched.desc;
    auto begin = reinterpret_cast<uintptr_t>(is_linear ? flat.devPtr : pitched.devPtr);
    size_t element = element_bytes(channels);
    if (!element) *error = cudaErrorInvalidChannelDescriptor;
    if (!element || !begin || begin % kAlignment) return {};
    if (is_linear) {
        if (flat.sizeInBytes < element) return {};
        *error = cudaSuccess;
        return {begin, {flat.sizeInBytes / element, 1, 1}, flat.sizeInBytes, element, channels, 1};
    }
    bool fits = pitched.width > 0 && pitched.height > 0 && pitched.width * element <= pitched.pitchInBytes;
    if (!fits || pitched.pitchInBytes % kPitchAlignment) return {};
    *error = cudaSuccess;
    return {begin, {pitched.width, pitched.height, 1}, pitched.pitchInBytes, element, channels, 2};
}

void check_texel(uintptr_t address, size_t bytes, int kind, const void* pc) {
    if (!has_checks(*execution.launch)) return;
    simt_check_global(address, bytes, kind, false, pc);
    if (simt_access->cells) global_races.access(address, bytes, kind, pc);
}

void fail_without_object(const char* what, const void* pc) {
    report({.kind = "trap", .call_site = pc, .note = what});
    fail_launch(cudaErrorIllegalAddress);
}

}  // namespace simt
