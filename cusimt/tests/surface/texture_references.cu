// Texture references, as programs for CUDA 11 and older have them.
#include <cuda_runtime.h>

texture<float, 1, cudaReadModeElementType> line;
static texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours;
texture<float, 2> plane;

__global__ void fetch(float* out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch(line, n - 1 - i);
}
__global__ void mix(float4* out, int n) {
    if (threadIdx.x < n) out[threadIdx.x] = tex2D(colours, threadIdx.x + 0.5f, 0.5f);
}
__global__ void between(float* out, int n) {
    if (threadIdx.x < n) out[threadIdx.x] = tex2D(plane, (threadIdx.x + 1.0f) / n, 0.5f);
}

extern "C" void reverse(const float* in, float* out, int n) {
    size_t offset = 99;
    cudaBindTexture(&offset, line, in, n * sizeof(float));
    if (offset == 0) fetch<<<1, 64>>>(out, n);
    cudaUnbindTexture(line);
}
// As in C: pointers, and the number of bytes last.
extern "C" void reverse_by_pointer(const float* in, float* out, int n) {
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    const textureReference* reference;
    cudaGetTextureReference(&reference, &line);
    cudaBindTexture(NULL, reference, in, &channels, n * sizeof(float));
    fetch<<<1, 64>>>(out, n);
    cudaUnbindTexture(&line);
}
extern "C" void colour(const unsigned char* pixels, float4* out, int n) {
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<uchar4>();
    cudaArray* array;
    cudaMallocArray(&array, &channels, n, 1);
    cudaMemcpyToArray(array, 0, 0, pixels, 4 * n, cudaMemcpyDeviceToDevice);
    cudaBindTextureToArray(colours, array, channels);
    mix<<<1, 64>>>(out, n);
    cudaUnbindTexture(colours);
    cudaFreeArray(array);
}
extern "C" void middles(const float* in, float* out, int n) {
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray* array;
    cudaMallocArray(&array, &channels, n, 1);
    cudaMemcpyToArray(array, 0, 0, in, 4 * n, cudaMemcpyDeviceToDevice);
    plane.normalized = true;
    plane.filterMode = cudaFilterModeLinear;
    plane.addressMode[0] = cudaAddressModeWrap;
    cudaBindTextureToArray(plane, array);
    between<<<1, 64>>>(out, n);
    cudaFreeArray(array);
}
extern "C" void fetch_unbound(float* out) { fetch<<<1, 1>>>(out, 1); }
