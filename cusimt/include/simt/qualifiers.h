// The words that CUDA adds to C++ declarations, as macros. The translator handles what a macro cannot: launches,
// `extern __shared__`, variables in device memory, and the bare keyword `__noinline__`.
#pragma once
#include "vector_types.h"  // has a SIMT_INLINE of its own, and forgets it

// Attributes of this backend. SIMT_HOST: not instrumented in the checked build. SIMT_INLINE: inlined into the caller, so that
// its accesses are reported at the caller's line.
#define SIMT_HOST __attribute__((no_sanitize("thread")))
#define SIMT_INLINE inline __attribute__((always_inline))

// Whether the compiler puts hooks before this file's accesses.
#if defined(__SANITIZE_THREAD__)
#define SIMT_INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIMT_INSTRUMENTED 1
#endif
#endif
#ifndef SIMT_INSTRUMENTED
#define SIMT_INSTRUMENTED 0
#endif

#define SIMT_UNUSED __attribute__((unused))

// Questions that nvcc answers about lambdas. One type serves host and device here: none is for the device only, and
// ATen's gpu_kernel asserts that its lambda is for both.
#define __nv_is_extended_device_lambda_closure_type(T) false
#define __nv_is_extended_host_device_lambda_closure_type(T) __is_class(T)
#define __nv_is_extended_device_lambda_with_preserved_return_type(T) false

// What the translator writes for `__device__`, `__constant__` and `__managed__` on variables: sections that the runtime knows.
// No section can hold inline variables and those that lie in functions: a tag becomes part of their symbol. Nor can one hold
// variable templates, which take no tag either: they are listed, by their full names.
#define SIMT_DEVICE_MEMORY __attribute__((section("simt_device")))
#define SIMT_CONSTANT_MEMORY __attribute__((section("simt_constant")))
#define SIMT_MANAGED_MEMORY __attribute__((section("simt_managed")))
#define SIMT_DEVICE_OWNED __attribute__((abi_tag("simt_device")))
#define SIMT_JOINED(a, b) a##b
#define SIMT_LIST(number, names) \
    static const char SIMT_JOINED(simt_names_, number)[] __attribute__((section("simt_names"), used)) = names;
#define SIMT_DEVICE_VARIABLES(names) SIMT_LIST(__COUNTER__, names)

#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __constant__
#define __constant__
#endif
#ifndef __managed__
#define __managed__
#endif
#ifndef __grid_constant__
#define __grid_constant__
#endif
#define __launch_bounds__(...)
// What the translator writes for `__launch_bounds__`, at the beginning of the kernel's body: there template arguments have
// values. The runtime finds the constant in the symbol table.
#define SIMT_LAUNCH_BOUNDS(...)                                                                   \
    static const int simt_most_threads __attribute__((used)) = ::simt::most_threads(__VA_ARGS__); \
    ::simt::keep_launch_bounds(simt_most_threads);
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __no_return__ __attribute__((noreturn))
#define __nv_pure__ __attribute__((pure))
#define __inline_hint__ inline
#define __device_builtin__
#define __cudart_builtin__
#define __specialization_static static
#ifndef __clang__
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif

#ifdef __CUDACC__
#define __forceinline__ inline __attribute__((always_inline))
// One copy for each OS thread, and a block runs on one: its threads share it, two blocks never do. The checked build moves
// arrays apart, so that an overrun meets a gap and not the next array.
#if SIMT_INSTRUMENTED
#define SIMT_APART __attribute__((aligned(32768)))
#else
#define SIMT_APART
#endif
#define __shared__ SIMT_APART thread_local
#endif
