// ThreadLoad and ThreadStore: accesses with a cache hint, which changes no value.
#pragma once
#include "cub/util_type.cuh"

CUB_NAMESPACE_BEGIN

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <CacheLoadModifier Modifier, class Iterator>
SIMT_INLINE simt_detail::value_of<Iterator> ThreadLoad(Iterator from) {
    return *from;
}
template <CacheStoreModifier Modifier, class Iterator, class T>
SIMT_INLINE void ThreadStore(Iterator to, T value) {
    *to = value;
}

CUB_NAMESPACE_END
