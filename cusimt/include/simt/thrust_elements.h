// One element of device memory, as the host reads and writes it through `vector[i]` and `*device_ptr`: by a copy.
#pragma once
#include <type_traits>

#include "simt/thrust_algorithms.h"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {
namespace simt_detail {

template <class Pointer>
auto raw(Pointer pointer) {
    if constexpr (std::is_pointer_v<Pointer>) return pointer;
    else return pointer.get();
}
template <class Pointer>
using value_at = std::remove_cv_t<std::remove_pointer_t<decltype(raw(std::declval<Pointer>()))>>;

template <class T>
void copy_element(T* to, const T* from) {
    simt::throw_error(cudaMemcpy(to, from, sizeof(T), cudaMemcpyDefault), "thrust::reference");
}

template <class To, class From>
void assign(To to, From from) {
    if (simt_on_device()) {
        *raw(to) = *raw(from);
    } else if constexpr (std::is_same_v<value_at<To>, value_at<From>>) {
        copy_element<value_at<To>>(raw(to), raw(from));
    } else {
        value_at<From> source;
        copy_element<value_at<From>>(&source, raw(from));
        value_at<To> value(source);
        copy_element<value_at<To>>(raw(to), &value);
    }
}

}  // namespace simt_detail

template <class Derived, class Pointer>
simt_detail::value_at<Pointer> get_value(execution_policy<Derived>&, Pointer pointer) {
    if (simt_on_device()) return *simt_detail::raw(pointer);
    simt_detail::value_at<Pointer> value;
    simt_detail::copy_element<simt_detail::value_at<Pointer>>(&value, simt_detail::raw(pointer));
    return value;
}
// Host and device together are a policy, too.
template <class Derived, class To, class From>
void assign_value(execution_policy<Derived>&, To to, From from) {
    simt_detail::assign(to, from);
}
template <class Derived, class A, class B>
void iter_swap(execution_policy<Derived>& policy, A a, B b) {
    auto kept = get_value(policy, a);
    simt_detail::assign(a, b);
    simt_detail::assign(b, &kept);
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
