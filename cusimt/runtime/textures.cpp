// Texture objects, and the values that fetches from them give: appendix "Texture Fetching" of the CUDA programming guide.
#include "textures.h"

#include <math.h>
#include <string.h>

#include <algorithm>
#include <deque>

#include "execution.h"
#include "host_call.h"
#include "simt/small_float.h"
#include "simt_api.h"

using namespace simt;

namespace {
struct Texture {
    Image image;
    cudaTextureDesc how;
    cudaResourceDesc resource;
};
// A number is never given to two textures. Kernels read this under the lock of launches.
std::deque<Texture>& textures() {
    static auto* all = new std::deque<Texture>;
    return *all;
}

Texture* find(cudaTextureObject_t number) {
    if (number == 0 || number > textures().size()) return nullptr;
    Texture& found = textures()[number - 1];
    return found.image.dimensions ? &found : nullptr;
}

const Texture& used(cudaTextureObject_t number, const void* pc) {
    if (!simt_access->on_device) fail_without_object("a texture is fetched by host code", pc);
    const Texture* found = find(number);
    if (!found) fail_without_object("a fetch from a texture object that does not exist", pc);
    return *found;
}

bool gives_floats(const Texture& texture) {
    return texture.how.readMode == cudaReadModeNormalizedFloat || texture.image.channels.f == cudaChannelFormatKindFloat;
}

int check(const Image& image, const cudaTextureDesc& how) {
    bool is_float = image.channels.f == cudaChannelFormatKindFloat;
    if (how.readMode == cudaReadModeNormalizedFloat && (is_float || image.channels.x == 32)) return cudaErrorInvalidNormSetting;
    bool filters = how.filterMode == cudaFilterModeLinear;
    if (filters && !is_float && how.readMode != cudaReadModeNormalizedFloat) return cudaErrorInvalidFilterSetting;
    return how.sRGB ? cudaErrorNotSupported : cudaSuccess;
}

// One channel as the texture gives it: a float in double, or an integer.
double channel(const Texture& texture, const char* at) {
    const cudaChannelFormatDesc& channels = texture.image.channels;
    uint32_t bits = 0;
    memcpy(&bits, at, size_t(channels.x) / 8);
    if (channels.f == cudaChannelFormatKindFloat) {
        float value;
        memcpy(&value, &bits, sizeof value);
        return channels.x == 16 ? decode<5, 10>(uint16_t(bits)) : value;
    }
    bool is_signed = channels.f == cudaChannelFormatKindSigned;
    double number = bits;
    if (is_signed) number = channels.x == 8 ? int8_t(bits) : channels.x == 16 ? int16_t(bits) : int32_t(bits);
    if (texture.how.readMode != cudaReadModeNormalizedFloat) return number;
    double most = double((1u << (channels.x - is_signed)) - 1);
    return std::max(number / most, -1.0);
}

void read(const Texture& texture, const size_t place[3], double value[4], const void* pc) {
    const Image& image = texture.image;
    uintptr_t address = image.at(place);
    check_texel(address, image.element, READ, pc);
    size_t bytes = size_t(image.channels.x) / 8;
    for (size_t i = 0; i < image.element / bytes; ++i) {
        value[i] = channel(texture, reinterpret_cast<const char*>(address) + i * bytes);
    }
}

void store(const Texture& texture, const double value[4], uint32_t texel[4]) {
    for (int i = 0; i < 4; ++i) {
        auto number = float(value[i]);
        if (gives_floats(texture)) memcpy(texel + i, &number, sizeof number);
        else texel[i] = uint32_t(int64_t(value[i]));
    }
}

constexpr int64_t kBorder = -1;

// Where index `i` of a dimension of `size` elements leads.
int64_t addressed(int64_t i, int64_t size, cudaTextureAddressMode mode, bool normalized) {
    if (mode == cudaAddressModeBorder) return i < 0 || i >= size ? kBorder : i;
    if (mode == cudaAddressModeClamp || !normalized) return std::clamp<int64_t>(i, 0, size - 1);
    int64_t period = mode == cudaAddressModeMirror ? 2 * size : size;
    i = (i % period + period) % period;
    return i < size ? i : period - 1 - i;
}

struct Axis {  // the two elements between which a coordinate lies, and the weight of the second
    int64_t index[2];
    double weight;
};

Axis axis(const Texture& texture, float coordinate, int dimension) {
    const cudaTextureDesc& how = texture.how;
    auto size = int64_t(texture.image.sizes[dimension]);
    double x = how.normalizedCoords ? double(coordinate) * double(size) : coordinate;
    x = std::isnan(x) ? 0 : std::clamp(x, -1e9, 1e9);
    bool filters = how.filterMode == cudaFilterModeLinear;
    if (filters) x -= 0.5;
    auto first = int64_t(floor(x));
    // The hardware keeps the weight in 9 bits, 8 of them behind the point.
    double weight = filters ? nearbyint((x - double(first)) * 256) / 256 : 0;
    auto lead = [&](int64_t i) { return addressed(i, size, how.addressMode[dimension], how.normalizedCoords); };
    return {{lead(first), lead(first + 1)}, weight};
}
}  // namespace

extern "C" {
void simt_texture_fetch(unsigned long long number, int index, uint32_t texel[4]) {
    const void* pc = __builtin_return_address(0);
    const Texture& texture = used(number, pc);
    double value[4] = {};
    const size_t place[3] = {size_t(index), 0, 0};
    if (index >= 0 && place[0] < texture.image.sizes[0]) read(texture, place, value, pc);  // else zero
    store(texture, value, texel);
}

void simt_texture_sample(unsigned long long number, const simt_texture_place* at, uint32_t texel[4]) {
    const void* pc = __builtin_return_address(0);
    const Texture& texture = used(number, pc);
    const Image& image = texture.image;
    bool has_layer = at->dimensions & SIMT_LAYER;
    int dimensions = at->dimensions & ~SIMT_LAYER;
    if (dimensions != image.dimensions || has_layer != image.is_layered) {
        fail_without_object("a fetch with other dimensions than the texture has", pc);
    }
    const float given[3] = {at->x, at->y, at->z};
    Axis axes[3] = {};
    for (int i = 0; i < dimensions; ++i) axes[i] = axis(texture, given[i], i);
    if (has_layer) axes[2].index[0] = std::clamp<int64_t>(int64_t(at->z), 0, int64_t(image.sizes[2]) - 1);
    double sum[4] = {};
    for (int corner = 0; corner < 1 << dimensions; ++corner) {
        double weight = 1;
        size_t place[3];
        bool outside = false;
        for (int i = 0; i < 3; ++i) {
            int side = corner >> i & 1;
            weight *= side ? axes[i].weight : 1 - axes[i].weight;
            place[i] = size_t(axes[i].index[side]);
            outside |= axes[i].index[side] == kBorder;
        }
        if (weight == 0) continue;
        double value[4];
        std::copy(texture.how.borderColor, texture.how.borderColor + 4, value);
        if (!outside) read(texture, place, value, pc);
        for (int i = 0; i < 4; ++i) sum[i] += weight * value[i];
    }
    store(texture, sum, texel);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource, const cudaTextureDesc* how,
                                    const cudaResourceViewDesc* view) {
    if (!texture || !resource || !how) return failed(cudaErrorInvalidValue);
    if (view) return failed(cudaErrorNotSupported);
    cudaError_t error;
    Image image = image_of(*resource, &error);
    if (error) return failed(error);
    if (int wrong = check(image, *how)) return failed(wrong);
    std::lock_guard guard(launch_lock);
    textures().push_back({image, *how, *resource});
    *texture = textures().size();
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
    std::lock_guard guard(launch_lock);
    if (Texture* found = find(texture)) found->image.dimensions = 0;
    else if (texture) return failed(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t texture) {
    const Texture* found = find(texture);
    if (!resource || !found) return failed(cudaErrorInvalidValue);
    *resource = found->resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* how, cudaTextureObject_t texture) {
    const Texture* found = find(texture);
    if (!how || !found) return failed(cudaErrorInvalidValue);
    *how = found->how;
    return cudaSuccess;
}
}
