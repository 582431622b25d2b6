// What the translator makes of `using Scan = Scan<32>;` in a class (translate/aliases.py): parameter_of<void(Scan<32>*)>.
#pragma once

namespace simt {

template <class Function>
struct parameter;
template <class T>
struct parameter<void(T*)> {
    using type = T;
};
template <class Function>
using parameter_of = typename parameter<Function>::type;

}  // namespace simt
