// Textures and surfaces over arrays, linear and pitched memory. Launchers take device memory; an error of a call stays the
// thread's last error.
#include <cuda_runtime.h>

template <class T>
__global__ void fetch(cudaTextureObject_t image, const float* at, T* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<T>(image, int(at[i]));
}
template <class T>
__global__ void sample(cudaTextureObject_t image, int dimensions, const float* at, T* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* p = at + 3 * i;
    switch (dimensions) {
        case 1: out[i] = tex1D<T>(image, p[0]); break;
        case 2: out[i] = tex2D<T>(image, p[0], p[1]); break;
        case 3: out[i] = tex3D<T>(image, p[0], p[1], p[2]); break;
        case 11: out[i] = tex1DLayered<T>(image, p[0], int(p[2])); break;
        default: tex2DLayered(out + i, image, p[0], p[1], int(p[2]));
    }
}

static cudaTextureDesc description(int filter, int address, int normalized, int read) {
    cudaTextureDesc how = {};
    how.filterMode = cudaTextureFilterMode(filter);
    for (auto& mode : how.addressMode) mode = cudaTextureAddressMode(address);
    how.normalizedCoords = normalized;
    how.readMode = cudaTextureReadMode(read);
    how.borderColor[0] = 9;
    return how;
}

// `pixels` on the host, of an array with these sizes; `dimensions` 11 and 12 are layered.
template <class Element, class T>
static void sample_array(const Element* pixels, int width, int height, int depth, int dimensions, cudaTextureDesc how,
                         const float* at, T* out, int n) {
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<Element>();
    cudaExtent extent = make_cudaExtent(width, height, depth);
    cudaArray_t array;
    if (cudaMalloc3DArray(&array, &channels, extent, dimensions > 3 ? cudaArrayLayered : 0)) return;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void*)pixels, width * sizeof(Element), width, height ? height : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height ? height : 1, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t image = 0;
    if (!cudaCreateTextureObject(&image, &resource, &how, nullptr)) sample<<<(n + 63) / 64, 64>>>(image, dimensions, at, out, n);
    cudaDestroyTextureObject(image);
    cudaFreeArray(array);
}

extern "C" void sample_floats(const float* pixels, int width, int height, int depth, int dimensions, int filter, int address,
                              int normalized, const float* at, float* out, int n) {
    float host[4096];
    cudaMemcpy(host, pixels, sizeof(float) * width * (height ? height : 1) * (depth ? depth : 1), cudaMemcpyDeviceToHost);
    sample_array(host, width, height, depth, dimensions, description(filter, address, normalized, 0), at, out, n);
}
extern "C" void sample_bytes(const unsigned char* pixels, int width, int height, int filter, const float* at, float4* out,
                             int n) {
    uchar4 host[1024];
    cudaMemcpy(host, pixels, 4 * width * height, cudaMemcpyDeviceToHost);
    sample_array(host, width, height, 0, 2, description(filter, 1, 0, 1), at, out, n);
}
extern "C" void sample_shorts(const short* pixels, int width, int height, const float* at, int* out, int n) {
    short host[1024];
    cudaMemcpy(host, pixels, 2 * width * height, cudaMemcpyDeviceToHost);
    sample_array(host, width, height, 0, 2, description(0, 1, 0, 0), at, out, n);
}

static cudaTextureObject_t linear(void* memory, size_t bytes, cudaChannelFormatDesc channels, int filter = 0) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = channels;
    resource.res.linear.sizeInBytes = bytes;
    cudaTextureDesc how = description(filter, 0, 0, 0);
    cudaTextureObject_t image = 0;
    cudaCreateTextureObject(&image, &resource, &how, nullptr);
    return image;
}
extern "C" void fetch_floats(float* memory, int elements, const float* at, float* out, int n) {
    fetch<<<1, n>>>(linear(memory, sizeof(float) * elements, cudaCreateChannelDesc<float>()), at, out, n);
}
extern "C" void fetch_pairs(int* memory, int elements, const float* at, int2* out, int n) {
    fetch<<<1, n>>>(linear(memory, sizeof(int2) * elements, cudaCreateChannelDesc<int2>()), at, out, n);
}
extern "C" void fetch_unwritten(int elements, const float* at, float* out, int n) {
    float* memory;
    cudaMalloc(&memory, sizeof(float) * elements);
    cudaMemset(memory, 0, 8);
    fetch<<<1, n>>>(linear(memory, sizeof(float) * elements, cudaCreateChannelDesc<float>()), at, out, n);
    cudaFree(memory);
}
extern "C" void fetch_freed(const float* at, float* out, int n) {
    float* memory;
    cudaMalloc(&memory, 256);
    cudaMemset(memory, 0, 256);
    cudaTextureObject_t image = linear(memory, 256, cudaCreateChannelDesc<float>());
    cudaFree(memory);
    fetch<<<1, n>>>(image, at, out, n);
}
extern "C" void fetch_without_texture(const float* at, float* out, int n) {
    cudaTextureObject_t image = linear(out, 4, cudaCreateChannelDesc<float>());
    cudaDestroyTextureObject(image);
    fetch<<<1, n>>>(image, at, out, n);
}
__global__ void fetch_and_write(cudaTextureObject_t image, float* memory) {
    memory[threadIdx.x] = tex1Dfetch<float>(image, (threadIdx.x + 1) % blockDim.x);
}
extern "C" void overwrite_while_fetching(float* memory, int n) {
    fetch_and_write<<<1, n>>>(linear(memory, sizeof(float) * n, cudaCreateChannelDesc<float>()), memory);
}
extern "C" void fetch_past_the_allocation(float* memory, int elements, const float* at, float* out, int n) {
    fetch<<<1, n>>>(linear(memory, sizeof(float) * (elements + 8), cudaCreateChannelDesc<float>()), at, out, n);
}
extern "C" void sample_pitched(const float* pixels, int width, int height, int filter, const float* at, float* out, int n) {
    float* memory;
    size_t pitch;
    cudaMallocPitch(&memory, &pitch, width * sizeof(float), height);
    cudaMemcpy2D(memory, pitch, pixels, width * sizeof(float), width * sizeof(float), height, cudaMemcpyDeviceToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc how = description(filter, 1, 0, 0);
    cudaTextureObject_t image = 0;
    if (!cudaCreateTextureObject(&image, &resource, &how, nullptr)) sample<<<1, n>>>(image, 2, at, out, n);
    cudaFree(memory);
}
extern "C" void create_badly(float* memory, int what) {
    switch (what) {
        case 0: linear(memory, 64, cudaCreateChannelDesc<int>(), 1); break;                    // integers are not filtered
        case 1: linear(memory + 1, 64, cudaCreateChannelDesc<float>()); break;                 // not aligned
        case 2: linear(memory, 64, cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat)); break;
    }
}

// ---- surfaces ----
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) {
        float value = surf2Dread<float>(from, x * sizeof(float), y);
        surf2Dwrite(value, to, y * int(sizeof(float)), x);
    }
}
__global__ void beyond(cudaSurfaceObject_t surface, float* out, int x, int y, cudaSurfaceBoundaryMode mode, bool writes) {
    if (writes) surf2Dwrite(5.0f, surface, x * 4, y, mode);
    else surf2Dread(out, surface, x * 4, y, mode);
}
struct Plane {
    cudaArray_t array = nullptr;
    cudaSurfaceObject_t surface = 0;
    Plane(int width, int height) {
        cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
        cudaMallocArray(&array, &channels, width, height, cudaArraySurfaceLoadStore);
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaCreateSurfaceObject(&surface, &resource);
    }
    ~Plane() {
        cudaDestroySurfaceObject(surface);
        cudaFreeArray(array);
    }
};
extern "C" void transpose(const float* in, float* out, int width, int height) {
    Plane from(width, height), to(height, width);
    cudaMemcpy2DToArray(from.array, 0, 0, in, width * 4, width * 4, height, cudaMemcpyDeviceToDevice);
    turn<<<1, dim3(32, 32)>>>(from.surface, to.surface, width, height);
    cudaMemcpy2DFromArray(out, height * 4, to.array, 0, 0, height * 4, width, cudaMemcpyDeviceToDevice);
}
extern "C" void reach_beyond(float* pixels, float* out, int width, int height, int x, int y, int mode, int writes) {
    Plane plane(width, height);
    cudaMemcpyToArray(plane.array, 0, 0, pixels, width * height * 4, cudaMemcpyDeviceToDevice);
    beyond<<<1, 1>>>(plane.surface, out, x, y, cudaSurfaceBoundaryMode(mode), writes);
    cudaMemcpyFromArray(pixels, plane.array, 0, 0, width * height * 4, cudaMemcpyDeviceToDevice);
}
