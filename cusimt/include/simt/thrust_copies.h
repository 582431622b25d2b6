// thrust's copies: within device memory, and between it and the host.
#pragma once
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/cuda/detail/cross_system.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <algorithm>
#include <iterator>
#include <new>

#include "simt/thrust_algorithms.h"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

// ---- within device memory ----
template <class Derived, class In, class Out>
Out copy(execution_policy<Derived>& policy, In first, In last, Out result) {
    return simt::on_device("thrust::copy", stream_of(policy), [=]() mutable {
        one_thread thread;
        return thrust::copy(thread, first, last, result);
    });
}
template <class Derived, class In, class Size, class Out>
Out copy_n(execution_policy<Derived>& policy, In first, Size n, Out result) {
    return simt::on_device("thrust::copy_n", stream_of(policy), [=]() mutable {
        one_thread thread;
        return thrust::copy_n(thread, first, n, result);
    });
}

// ---- between host and device ----
namespace simt_detail {

// Memory in a row on the side that `copy` has to cross to; anything else goes through such memory.
template <class Iterator>
constexpr bool in_a_row = thrust::is_contiguous_iterator<Iterator>::value;

template <class T>
struct device_row {  // device memory for `n` values
    T* values;
    explicit device_row(size_t n) : values(static_cast<T*>(simt_allocate(simt_get_device(), n * sizeof(T)))) {
        if (!values) simt::throw_error(cudaErrorMemoryAllocation, "thrust::copy");
    }
    ~device_row() { simt_release(values); }
    device_row(const device_row&) = delete;
};

template <class T>
struct host_row {
    T* values;
    explicit host_row(size_t n) : values(static_cast<T*>(::operator new(n * sizeof(T)))) {}
    ~host_row() { ::operator delete(values); }
    host_row(const host_row&) = delete;
};

template <class T>
void cross(T* to, const T* from, size_t n, cudaMemcpyKind kind, cudaStream_t stream) {
    simt::throw_error(cudaMemcpyAsync(to, from, n * sizeof(T), kind, stream), "thrust::copy");
    simt::throw_error(cudaStreamSynchronize(stream), "thrust::copy");
}

template <class In, class Out>
Out to_host(cudaStream_t stream, In first, size_t n, Out result) {
    typedef thrust::detail::it_value_t<In> T;
    if constexpr (in_a_row<In>) {
        host_row<T> row(n);
        cross(row.values, const_cast<const T*>(thrust::raw_pointer_cast(&*first)), n, cudaMemcpyDeviceToHost, stream);
        return std::copy(row.values, row.values + n, result);
    } else {
        device_row<T> row(n);
        simt::on_device("thrust::copy", stream, [=, to = row.values]() mutable {
            for (size_t i = 0; i < n; ++i, ++first) to[i] = *first;
        });
        return to_host(stream, static_cast<const T*>(row.values), n, result);
    }
}

template <class In, class Out>
Out to_device(cudaStream_t stream, In first, size_t n, Out result) {
    typedef thrust::detail::it_value_t<In> T;
    if constexpr (in_a_row<Out> && std::is_same_v<T, thrust::detail::it_value_t<Out>>) {
        host_row<T> row(n);
        for (size_t i = 0; i < n; ++i, ++first) ::new (row.values + i) T(*first);
        cross(const_cast<T*>(thrust::raw_pointer_cast(&*result)), row.values, n, cudaMemcpyHostToDevice, stream);
        return result + static_cast<ptrdiff_t>(n);
    } else {
        device_row<T> row(n);
        to_device(stream, first, n, row.values);
        return simt::on_device("thrust::copy", stream, [=, from = row.values]() mutable {
            for (size_t i = 0; i < n; ++i, ++result) *result = from[i];
            return result;
        });
    }
}

template <class System>
constexpr bool is_device = std::is_base_of_v<execution_policy<System>, System>;

}  // namespace simt_detail

template <class From, class To, class In, class Size, class Out>
Out copy_n(cross_system<From, To> systems, In first, Size n, Out result) {
    if (n <= 0) return result;
    if constexpr (simt_detail::is_device<From>)
        return simt_detail::to_host(stream_of(derived_cast(systems.sys1)), first, static_cast<size_t>(n), result);
    else return simt_detail::to_device(stream_of(derived_cast(systems.sys2)), first, static_cast<size_t>(n), result);
}
template <class From, class To, class In, class Out>
Out copy(cross_system<From, To> systems, In first, In last, Out result) {
    return copy_n(systems, first, std::distance(first, last), result);
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
