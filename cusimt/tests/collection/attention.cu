// The rest of a transformer: attention, rotary embeddings, GELU with dropout, embeddings and their gradient, Adam.
#include <cuda_fp16.h>
#include <cmath>
#include <limits>
#include <stdint.h>
#include "checks.h"

/* ---- attention 1: scores, softmax, values: three kernels, (B, T, 3, NH, HS) in ---------------------------------------------- */
__global__ void attention_query_key_kernel1(float* preatt, const float* inp, int B, int T, int C, int NH) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int total_threads = B * NH * T * T;
    if (idx < total_threads) {
        int t2 = idx % T;
        int t = (idx / T) % T;
        if (t2 > t) {
            // autoregressive mask
            preatt[idx] = -INFINITY;
            return;
        }
        int h = (idx / (T * T)) % NH;
        int b = idx / (NH * T * T);

        int C3 = C*3;
        int hs = C / NH; // head size
        const float* query_t = inp + b * T * C3 + t * C3 + h * hs;
        const float* key_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C; // +C because it's key
        float val = 0.0f;
        for (int i = 0; i < hs; i++) {
            val += query_t[i] * key_t2[i];
        }
        val *= 1.0 / sqrtf(hs);
        preatt[idx] = val;
    }
}
__global__ void attention_softmax_kernel1(float* att, const float* preatt, int B, int T, int NH) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * T * NH) return;
    int h = idx % NH, t = (idx / NH) % T, b = idx / (NH * T);
    const float* row = preatt + b*NH*T*T + h*T*T + t*T;
    float* out = att + b*NH*T*T + h*T*T + t*T;
    float maxval = -10000.0f;
    for (int t2 = 0; t2 <= t; t2++) if (row[t2] > maxval) maxval = row[t2];
    float expsum = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) { float expv = expf(row[t2] - maxval); expsum += expv; out[t2] = expv; }
    float expsum_inv = expsum == 0.0f ? 0.0f : 1.0f / expsum;
    for (int t2 = 0; t2 < T; t2++) out[t2] = t2 <= t ? out[t2] * expsum_inv : 0.0f;
}
__global__ void attention_value_kernel1(float* out, const float* att, const float* inp, int B, int T, int C, int NH) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * T * C) return;
    int c = idx % C, t = idx / C % T, b = idx / (C * T), h = c / (C / NH);
    float sum = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) sum += att[((b * NH + h) * T + t) * T + t2] * inp[(b * T + t2) * C * 3 + 2 * C + c];
    out[idx] = sum;
}
extern "C" void attention_naive(float* out, float* preatt, float* att, const float* inp, int B, int T, int C, int NH) {
    const int block_size = 64;
    attention_query_key_kernel1<<<ceil_div(B * NH * T * T, block_size), block_size>>>(preatt, inp, B, T, C, NH);
    attention_softmax_kernel1<<<ceil_div(B * T * NH, block_size), block_size>>>(att, preatt, B, T, NH);
    attention_value_kernel1<<<ceil_div(B * T * C, block_size), block_size>>>(out, att, inp, B, T, C, NH);
}

/* ---- attention 2: tiles of keys and values, online softmax, nothing of size T x T --------------------------------------------- */
template <int Bc, int Br, int D, bool kCausal>
__global__ void flash_forward(const float* Q, const float* K, const float* V, const int N, const float softmax_scale, float* O) {
    extern __shared__ float sram[];
    float (*Qi)[D] = reinterpret_cast<float (*)[D]>(sram);
    float (*Kj)[D] = reinterpret_cast<float (*)[D]>(sram + Br * D);
    float (*Vj)[D] = reinterpret_cast<float (*)[D]>(sram + (Br + Bc) * D);
    float (*S)[Bc] = (float (*)[Bc])(sram + (Br + 2 * Bc) * D);

    const int tx = threadIdx.x;                     // a row of the tile of queries
    const size_t head = ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * N * D;
    const int q0 = blockIdx.x * Br, row = q0 + tx;
    for (int x = 0; x < D; x++) Qi[tx][x] = row < N ? Q[head + row * D + x] : 0.f;
    float m = -INFINITY, l = 0.f, acc[D] = {0.f};

    const int last = kCausal ? min(N, q0 + Br) : N;
    for (int k0 = 0; k0 < last; k0 += Bc) {
        for (int i = tx; i < Bc * D; i += Br) {
            const bool there = k0 + i / D < N;
            Kj[i / D][i % D] = there ? K[head + (size_t)k0 * D + i] : 0.f;
            Vj[i / D][i % D] = there ? V[head + (size_t)k0 * D + i] : 0.f;
        }
        __syncthreads();
        float m_new = m;
        for (int y = 0; y < Bc; y++) {
            float sum = 0;
            for (int x = 0; x < D; x++) sum += Qi[tx][x] * Kj[y][x];
            const bool masked = k0 + y >= N || (kCausal && k0 + y > row);
            S[tx][y] = masked ? -INFINITY : sum * softmax_scale;
            m_new = fmaxf(m_new, S[tx][y]);
        }
        const float correction = m_new == -INFINITY ? 1.f : __expf(m - m_new);
        l *= correction;
        for (int x = 0; x < D; x++) acc[x] *= correction;
        for (int y = 0; y < Bc; y++) {
            const float p = S[tx][y] == -INFINITY ? 0.f : __expf(S[tx][y] - m_new);
            l += p;
            for (int x = 0; x < D; x++) acc[x] += p * Vj[y][x];
        }
        m = m_new;
        __syncthreads();   // otherwise a thread could load the next tiles too early
    }
    if (row < N)
        for (int x = 0; x < D; x++) O[head + row * D + x] = acc[x] / l;
}
extern "C" void attention_flash(const float* Q, const float* K, const float* V, float* O, int B, int nh, int N, int causal) {
    constexpr int Bc = 16, Br = 32, D = 8;
    const int sram_size = ((Br + 2 * Bc) * D + Br * Bc) * sizeof(float);
    int max_sram_size;
    cudaDeviceGetAttribute(&max_sram_size, cudaDevAttrMaxSharedMemoryPerBlock, 0);
    if (sram_size > max_sram_size) return;
    dim3 grid_dim(ceil_div(N, Br), nh, B);
    dim3 block_dim(Br);
#define FLASH(CAUSAL) flash_forward<Bc, Br, D, CAUSAL><<<grid_dim, block_dim, sram_size>>>(Q, K, V, N, 1.0f / sqrtf(D), O)
    if (causal) { FLASH(true); } else { FLASH(false); }
#undef FLASH
}

/* ---- rotary position embedding on halves, in place -------------------------------------------------------------------------------- */
__global__ void rope_kernel(half2* x, const int* __restrict__ positions, const int heads, const int half_dim, const float base) {
    const int token = blockIdx.x;
    for (int i = threadIdx.x; i < heads * half_dim; i += blockDim.x) {
        const int d = i % half_dim;
        const float angle = positions[token] * powf(base, -float(d) / half_dim);
        float sine, cosine;
        sincosf(angle, &sine, &cosine);
        half2& pair = x[(token * heads) * half_dim + i];
        const float2 v = __half22float2(pair);
        pair = __floats2half2_rn(v.x * cosine - v.y * sine, v.x * sine + v.y * cosine);
    }
}
extern "C" void rope(half2* x, const int* positions, int tokens, int heads, int dim) {
    rope_kernel<<<tokens, min(64, heads * dim / 2)>>>(x, positions, heads, dim / 2, 10000.f);
}

/* ---- a counter-based generator: ten rounds of Philox 4x32 ---------------------------------------------------------------------------- */
struct Philox {
    uint2 key;
    __device__ static uint4 round(uint4 c, uint2 k) {
        const uint32_t hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
        const uint32_t hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
        return make_uint4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
    }
    __device__ uint4 operator()(uint4 counter) const {
        uint2 k = key;
#pragma unroll
        for (int i = 0; i < 10; ++i) {
            if (i) k.x += 0x9E3779B9u, k.y += 0xBB67AE85u;
            counter = round(counter, k);
        }
        return counter;
    }
};

// Four elements per thread: one call of the generator serves all of them.
__global__ void gelu_dropout(const float4* __restrict__ x, float4* __restrict__ y, uint32_t* __restrict__ bits, int quads, float p, uint2 seed) {
    const Philox philox{seed};
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    const uint4 random = philox(make_uint4(i, 0u, 0u, 0u));
    const float4 v = x[i];
    const uint32_t threshold = static_cast<uint32_t>(p * 4294967296.0);
    const float scale = 1.f / (1.f - p);
    auto apply = [=](float value, uint32_t r) {
        const float cube = 0.044715f * value * value * value;
        const float gelu = 0.5f * value * (1.0f + tanhf(0.7978845608f * (value + cube)));
        return r < threshold ? 0.f : gelu * scale;
    };
    y[i] = {apply(v.x, random.x), apply(v.y, random.y), apply(v.z, random.z), apply(v.w, random.w)};
    reinterpret_cast<uint4*>(bits)[i] = random;
}
extern "C" void gelu_with_dropout(const float4* x, float4* y, uint32_t* bits, int quads, float p, uint32_t low, uint32_t high) {
    gelu_dropout<<<(quads + 31) / 32, 32>>>(x, y, bits, quads, p, uint2{low, high});
}

/* ---- embedding: gather, and scatter-add backwards -------------------------------------------------------------------------------------- */
template <typename T, typename index_t = int64_t>
__global__ void embedding_forward_kernel(T* out, const index_t* ids, const T* table, int tokens, int width) {
    const int token = blockIdx.y * blockDim.y + threadIdx.y;
    if (token >= tokens) return;
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < width; c += gridDim.x * blockDim.x)
        out[token * width + c] = table[ids[token] * width + c];
}
template <typename T, typename index_t = int64_t>
__global__ void embedding_backward_kernel(T* dtable, const index_t* ids, const T* dout, int tokens, int width, index_t padding) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < tokens * width; i += gridDim.x * blockDim.x) {
        const index_t id = ids[i / width];
        if (id == padding) continue;
        atomicAdd(dtable + id * width + i % width, dout[i]);
    }
}
extern "C" void embedding(float* out, const int64_t* ids, const float* table, int tokens, int width) {
    embedding_forward_kernel<<<dim3(2, (tokens + 3) / 4), dim3(16, 4)>>>(out, ids, table, tokens, width);
}
extern "C" void embedding_backward(double* dtable, const int64_t* ids, const double* dout, int tokens, int width, int vocabulary) {
    cudaMemset(dtable, 0, sizeof(double) * vocabulary * width);
    embedding_backward_kernel<<<3, 96>>>(dtable, ids, dout, tokens, width, int64_t{0});
}

/* ---- Adam with decoupled weight decay: chunks of many tensors, described by a struct in parameter space ----------------------------------- */
constexpr int kMaxTensors = 4;
struct TensorList {
    float* parameter[kMaxTensors];
    const float* gradient[kMaxTensors];
    float* m[kMaxTensors];
    float* v[kMaxTensors];
    int size[kMaxTensors];
};
struct Hyper { float lr, beta1, beta2, eps, decay; int step; };

__device__ __forceinline__ float lerp(float start, float end, float weight) { return fma(weight, end, fma(-weight, start, start)); }

__global__ void multi_tensor_adamw(TensorList list, Hyper h) {
    const int t = blockIdx.y;
    const float correction1 = 1.0f - powf(h.beta1, h.step), correction2 = 1.0f - powf(h.beta2, h.step);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < list.size[t]; i += gridDim.x * blockDim.x) {
        const float g = list.gradient[t][i];
        const float m = list.m[t][i] = lerp(g, list.m[t][i], h.beta1);
        const float v = list.v[t][i] = lerp(g * g, list.v[t][i], h.beta2);
        const float p = list.parameter[t][i];
        list.parameter[t][i] = p - h.lr * (m / correction1 / (sqrtf(v / correction2) + h.eps) + h.decay * p);
    }
}
extern "C" void adamw(float* p, const float* g, float* m, float* v, int n, int step) {
    TensorList list;                              // the arrays in two pieces, as if they were two tensors
    const int first = n / 3, sizes[] = {first, n - first}, starts[] = {0, first};
    for (int t = 0; t < 2; ++t) {
        list.parameter[t] = p + starts[t], list.gradient[t] = g + starts[t];
        list.m[t] = m + starts[t], list.v[t] = v + starts[t], list.size[t] = sizes[t];
    }
    multi_tensor_adamw<<<dim3(2, 2), 64>>>(list, {1e-2f, 0.9f, 0.99f, 1e-8f, 0.1f, step});
}
