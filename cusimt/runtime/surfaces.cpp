// Surface objects: loads and stores in arrays, with x in bytes.
#include <string.h>

#include <algorithm>
#include <deque>

#include "arrays.h"
#include "execution.h"
#include "findings.h"
#include "host_call.h"
#include "simt_api.h"
#include "textures.h"

using namespace simt;

namespace {
struct Surface {
    Image image;
    cudaResourceDesc resource;
};
std::deque<Surface>& surfaces() {
    static auto* all = new std::deque<Surface>;
    return *all;
}

Surface* find(cudaSurfaceObject_t number) {
    if (number == 0 || number > surfaces().size()) return nullptr;
    Surface& found = surfaces()[number - 1];
    return found.image.dimensions ? &found : nullptr;
}

[[noreturn]] void fail_outside(const Image& image, const simt_surface_place& place, size_t bytes, int kind, const void* pc) {
    std::string note = "byte " + std::to_string(place.x);
    if ((place.dimensions & ~SIMT_LAYER) > 1) note += " of row " + std::to_string(place.y);
    if (place.dimensions & SIMT_LAYER) note += " of layer " + std::to_string(place.z);
    else if (place.dimensions == 3) note += " of slice " + std::to_string(place.z);
    note += " of a surface with rows of " + std::to_string(image.pitch) + " bytes";
    if (image.dimensions > 1) note += " and " + std::to_string(image.sizes[1]) + " rows";
    if (image.sizes[2] > 1) note += " in " + std::to_string(image.sizes[2]) + (image.is_layered ? " layers" : " slices");
    report({.kind = "out_of_bounds", .call_site = pc, .access = kind, .bytes = bytes, .space = "global", .note = note});
    fail_launch(cudaErrorIllegalAddress);
}

// Where the bytes are; 0 if they are outside and the mode says that this does nothing.
uintptr_t find_place(cudaSurfaceObject_t number, const simt_surface_place& place, size_t bytes, int kind, const void* pc) {
    if (!simt_access->on_device) fail_without_object("a surface is accessed by host code", pc);
    const Surface* found = find(number);
    if (!found) fail_without_object("an access to a surface object that does not exist", pc);
    const Image& image = found->image;
    if ((place.dimensions & ~SIMT_LAYER) != image.dimensions || bool(place.dimensions & SIMT_LAYER) != image.is_layered) {
        fail_without_object("an access with other dimensions than the surface has", pc);
    }
    if (place.x % int64_t(bytes)) {
        report({.kind = "misaligned", .call_site = pc, .access = kind, .bytes = bytes, .space = "global"});
        fail_launch(cudaErrorMisalignedAddress);
    }
    int64_t at[3] = {place.x, place.y, place.z};
    const int64_t last[3] = {int64_t(image.pitch) - int64_t(bytes), int64_t(image.sizes[1]) - 1, int64_t(image.sizes[2]) - 1};
    for (int i = 0; i < 3; ++i) {
        if (at[i] >= 0 && at[i] <= last[i]) continue;
        if (place.mode == cudaBoundaryModeZero) return 0;
        if (place.mode != cudaBoundaryModeClamp) fail_outside(image, place, bytes, kind, pc);
        at[i] = std::clamp<int64_t>(at[i], 0, last[i]);
    }
    uintptr_t address = image.begin + (size_t(at[2]) * image.sizes[1] + size_t(at[1])) * image.pitch + size_t(at[0]);
    check_texel(address, bytes, kind, pc);
    return address;
}
}  // namespace

extern "C" {
void simt_surface_read(unsigned long long surface, const simt_surface_place* place, void* value, size_t bytes) {
    uintptr_t address = find_place(surface, *place, bytes, READ, __builtin_return_address(0));
    if (address) memcpy(value, reinterpret_cast<const void*>(address), bytes);
    else memset(value, 0, bytes);
}

void simt_surface_write(unsigned long long surface, const simt_surface_place* place, const void* value, size_t bytes) {
    uintptr_t address = find_place(surface, *place, bytes, WRITE, __builtin_return_address(0));
    if (address) memcpy(reinterpret_cast<void*>(address), value, bytes);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource) {
    if (!surface || !resource || resource->resType != cudaResourceTypeArray) return failed(cudaErrorInvalidValue);
    cudaError_t error;
    Image image = image_of(*resource, &error);
    if (error) return failed(error);
    if (!(resource->res.array.array->flags & cudaArraySurfaceLoadStore)) return failed(cudaErrorInvalidValue);
    std::lock_guard guard(launch_lock);
    surfaces().push_back({image, *resource});
    *surface = surfaces().size();
    return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
    std::lock_guard guard(launch_lock);
    if (Surface* found = find(surface)) found->image.dimensions = 0;
    else if (surface) return failed(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t surface) {
    const Surface* found = find(surface);
    if (!resource || !found) return failed(cudaErrorInvalidValue);
    *resource = found->resource;
    return cudaSuccess;
}
}
