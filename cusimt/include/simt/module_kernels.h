// Included in front of device code that the driver's API will load (`-include`, behind simt/prelude.h): its kernels announce
// themselves, those that the translator marks and those of name expressions. NVRTC has printf and assert without an include.
#pragma once
#include <assert.h>
#include <stdio.h>

#include "simt/kernel_overloads.h"
#include "simt/module_kernel.h"

#pragma GCC visibility push(hidden)
namespace simt {

// Parameters lie in a buffer as members do in a structure.
template <class... Parameters>
struct parameter_layout {
    simt_argument arguments[sizeof...(Parameters) + 1] = {};

    constexpr parameter_layout() {
        size_t index = 0, end = 0;
        (place(arguments[index++], end, sizeof(Parameters), alignof(Parameters)), ...);
    }

  private:
    static constexpr void place(simt_argument& argument, size_t& end, size_t bytes, size_t alignment) {
        argument = {(end + alignment - 1) / alignment * alignment, bytes};
        end = argument.offset + bytes;
    }
};

template <class... Parameters>
const void* announce_module_kernel(const site& where, void (*function)(Parameters...)) {
    static constexpr parameter_layout<Parameters...> layout;
    simt_module_kernel kernel = {address_of(function),           where.kernel,     where.file,           where.line,
                                 &launch_untyped<Parameters...>, layout.arguments, sizeof...(Parameters)};
    simt_announce_module_kernel(&kernel);
    return address_of(function);
}

// A name expression is the address of a kernel or of a variable of the device.
template <class... Parameters>
const void* name_expression(const site& where, void (*kernel)(Parameters...)) {
    return announce_module_kernel(where, kernel);
}
inline const void* name_expression(const site&, const volatile void* variable) { return const_cast<const void*>(variable); }

}  // namespace simt
#pragma GCC visibility pop

#define SIMT_NUMBERED_AGAIN(name, number) name##number
#define SIMT_NUMBERED(name, number) SIMT_NUMBERED_AGAIN(name, number)
#define SIMT_MODULE_KERNEL static const void* const SIMT_UNUSED SIMT_NUMBERED(simt_module_kernel_, __COUNTER__)
// The compiler reads the address to learn the name that the linker has for it.
#define SIMT_NAME_EXPRESSION(number, ...)                                                                                    \
    extern "C" {                                                                                                             \
    __attribute__((visibility("default")))                                                                                   \
    const void* SIMT_NUMBERED(simt_named_, number) = ::simt::name_expression(::simt::site{#__VA_ARGS__, __FILE__, __LINE__}, \
                                                                             __VA_ARGS__);                                   \
    }
