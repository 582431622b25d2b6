// Every access below is out of bounds: the test expects a finding at each marked line.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>

__global__ void past_the_end_kernel(const float* in, float* out, __half2* pairs, float* copy) {
    float x = __ldg(in + 4);                                       // read 4
    atomicAdd(out + 4, x);                                         // atomic 4
    atomicCAS(reinterpret_cast<unsigned*>(out) + 5, 0u, 1u);       // atomic 4
    __stcs(out + 6, x);                                            // write 4
    pairs[4] = __hadd2(pairs[0], pairs[1]);                        // write 4
    float4 v = reinterpret_cast<const float4*>(in)[1];             // read 16
    reinterpret_cast<float4*>(out)[2] = v;                         // write 16
    cooperative_groups::memcpy_async(cooperative_groups::this_thread_block(), copy + 4, out, 4);  // write 4
}
extern "C" void past_the_end(const float* in, float* out, __half2* pairs, float* copy) {
    past_the_end_kernel<<<1, 1>>>(in, out, pairs, copy);
}
