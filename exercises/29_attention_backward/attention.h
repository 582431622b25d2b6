// What the binding and the launchers both need to know of a call.
#pragma once

#include <cstdint>

// The distance, in elements, between neighbours along a dimension. The elements of a row are
// neighbours.
struct Strides {
    int64_t batch, head, row;
};

struct Sizes {
    int64_t batch, heads, queries, keys, dims;
};

// What backward reads. Stored: the type in memory; T: the type that is computed with. q and
// grad_out: batch x heads x queries x dims; k and v: batch x heads x keys x dims; lse and delta:
// batch x heads x queries, dense.
template <typename Stored, typename T>
struct Saved {
    const Stored* __restrict__ q;
    const Stored* __restrict__ k;
    const Stored* __restrict__ v;
    const Stored* __restrict__ grad_out;
    const T* __restrict__ lse;
    const T* __restrict__ delta;
    Strides q_strides, k_strides, v_strides, grad_strides;
    Sizes sizes;
    bool causal;
};
