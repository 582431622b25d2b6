// Dynamic shared memory: what `extern __shared__ T name[];` in a function refers to, for any T.
#pragma once
#include "simt/qualifiers.h"

extern "C" {
extern __attribute__((visibility("hidden"))) __thread char simt_dynamic_shared[];  // runtime/module.cpp
}

namespace simt {
struct dynamic_shared {
    template <class Array>
    SIMT_INLINE operator Array&() const {
        return *reinterpret_cast<Array*>(simt_dynamic_shared);
    }
};
}  // namespace simt
