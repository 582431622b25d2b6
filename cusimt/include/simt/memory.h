// Loads and stores with a cache hint. The hint affects speed, never the value; the access is attributed to the caller's line.
#pragma once
#include "simt/qualifiers.h"

namespace simt {
template <class T>
struct same {  // a parameter of type `same<T>::type` takes no part in deducing T
    typedef T type;
};
}  // namespace simt

#define SIMT_LOAD(NAME)                    \
    template <class T>                     \
    SIMT_INLINE T NAME(const T* address) { \
        return *address;                   \
    }
#define SIMT_STORE(NAME)                                                    \
    template <class T>                                                      \
    SIMT_INLINE void NAME(T* address, typename simt::same<T>::type value) { \
        *address = value;                                                   \
    }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldcs)
SIMT_LOAD(__ldlu)
SIMT_LOAD(__ldcv)
SIMT_STORE(__stwb)
SIMT_STORE(__stcg)
SIMT_STORE(__stcs)
SIMT_STORE(__stwt)
#undef SIMT_LOAD
#undef SIMT_STORE
