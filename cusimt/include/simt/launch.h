// What the translator makes of `kernel<<<grid, block, shared, stream>>>(arguments)`: a call of simt::launch_named.
#pragma once
#include <simt_api.h>
#include <stddef.h>

#include "cuda_runtime_api.h"
#include "simt/builtin_variables.h"
#include "simt/function_names.h"
#include "simt/memory.h"
#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
extern "C" simt_module simt_this_module;

namespace simt {

constexpr int most_threads(int threads, int = 0, int = 0) { return threads; }  // of __launch_bounds__
SIMT_INLINE SIMT_HOST void keep_launch_bounds(int most) {
    if (int(blockDim.x * blockDim.y * blockDim.z) > most) simt_exceed_launch_bounds(most);
}

struct site {  // where a launch stands in the source
    const char* kernel;
    const char* file;
    int line;
};

struct configuration {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;

    configuration(dim3 grid_, dim3 block_, size_t shared_bytes_ = 0, cudaStream_t stream_ = nullptr)
        : grid(grid_), block(block_), shared_bytes(shared_bytes_), stream(stream_) {}
};

template <class Thread>
SIMT_HOST void run_thread(void* thread) {
    (*static_cast<Thread*>(thread))();
}

// Where a closure that captured a Body and Arguments, in this order, holds the arguments: gcc and clang lay it out as a structure.
template <class Body, class... Arguments>
struct closure_layout {
    simt_argument arguments[sizeof...(Arguments) + 1] = {};
    size_t bytes = sizeof(Body);

    constexpr closure_layout() {
        size_t index = 0, most = alignof(Body);
        (place(arguments[index++], sizeof(Arguments), alignof(Arguments), most), ...);
        bytes = (bytes + most - 1) / most * most;
    }

  private:
    constexpr void place(simt_argument& argument, size_t size, size_t alignment, size_t& most) {
        argument = {(bytes + alignment - 1) / alignment * alignment, size};
        bytes = argument.offset + size;
        if (alignment > most) most = alignment;
    }
};

struct argument_list {
    const simt_argument* arguments;
    size_t count;
    bool refers_to_caller;
};
template <class Thread, class Body, class... Arguments>
SIMT_HOST argument_list arguments_of() {
    static constexpr closure_layout<Body, Arguments...> layout;
    const bool is_laid_out = layout.bytes == sizeof(Thread);
    return {is_laid_out ? layout.arguments : nullptr, is_laid_out ? sizeof...(Arguments) : 0, false};
}

// Run `thread` once per CUDA thread. It is the parameter space of the launch: device code may read it.
template <class Thread>
cudaError_t run_grid(Thread& thread, const site& where, const configuration& shape, const void* function, int cooperative,
                     const argument_list& list) {
    simt_launch launch = {};
    launch.grid[0] = shape.grid.x, launch.grid[1] = shape.grid.y, launch.grid[2] = shape.grid.z;
    launch.block[0] = shape.block.x, launch.block[1] = shape.block.y, launch.block[2] = shape.block.z;
    launch.dynamic_shared = shape.shared_bytes;
    launch.stream = shape.stream;
    launch.kernel = where.kernel;
    launch.file = where.file;
    launch.line = where.line;
    launch.entry = &run_thread<Thread>;
    launch.closure = &thread;
    launch.closure_bytes = sizeof(Thread);
    launch.module = &simt_this_module;
    launch.cooperative = cooperative;
    launch.function = function;
    launch.is_instrumented = SIMT_INSTRUMENTED;
    launch.arguments = list.arguments;
    launch.argument_count = list.count;
    launch.refers_to_caller = list.refers_to_caller;
    return static_cast<cudaError_t>(simt_launch_kernel(&launch));
}

// What the launch keeps of an argument: a copy, or, where the parameter is a reference, what nvcc passes for one without a
// word: the address of the caller's object.
template <class T>
struct reference_argument {
    T* object;
    SIMT_HOST operator T&() const { return *object; }
};
template <class Parameter>
struct passed {
    static Parameter& as(Parameter& argument) { return argument; }
};
template <class T>
struct passed<T&> {
    static reference_argument<T> as(T& argument) { return {&argument}; }
};

template <class Body, class... Arguments>
void launch_function(const void* function, Body body, site where, configuration shape, Arguments... arguments) {
    auto thread = [body, arguments...]() SIMT_HOST { return body(arguments...); };
    static_assert(__is_same(decltype(thread()), void), "a __global__ function must have a void return type");
    argument_list list = arguments_of<decltype(thread), Body, Arguments...>();
    list.refers_to_caller = __is_class(Body) && !__is_empty(Body);
    run_grid(thread, where, shape, function, 0, list);
}

template <class Body, class... Arguments>
void launch(Body body, site where, configuration shape, Arguments... arguments) {
    launch_function(function_named(where.kernel), body, where, shape, arguments...);
}

// The same for a kernel given by an expression: a function pointer, whose type says what the arguments become.
template <class... Parameters>
void launch_pointer(void (*function)(Parameters...), site where, configuration shape,
                    typename same<Parameters>::type... arguments) {
    launch_function((const void*)function, function, where, shape, passed<Parameters>::as(arguments)...);
}

// A launch of a kernel by its name, `launch_named(...).with(arguments)`. A kernel that is one function, template arguments
// included, gives its parameters: only they say what becomes of `0`, of `{1, 2}`, of an object that converts to a pointer (and
// must not be copied, because it owns what it points to). Any other, such as a template whose arguments are to be deduced,
// takes what it gets.
struct one_function {
    template <class... Parameters>
    constexpr auto operator()(void (*function)(Parameters...)) const {
        return function;
    }
};

template <class Body, class Function>
struct named_launch {
    Body body;
    Function function;
    site where;
    configuration shape;

    template <class... Arguments>
    void with(Arguments... arguments) const {
        launch(body, where, shape, arguments...);
    }
};

template <class Body, class... Parameters>
struct named_launch<Body, void (*)(Parameters...)> {
    Body body;
    void (*function)(Parameters...);
    site where;
    configuration shape;

    void with(Parameters... arguments) const {
        // A body that is not empty refers to a variable of the caller that holds the kernel's address.
        if constexpr (__is_empty(Body)) {
            launch_function((const void*)function, body, where, shape, passed<Parameters>::as(arguments)...);
        } else {
            launch_function((const void*)function, function, where, shape, passed<Parameters>::as(arguments)...);
        }
    }
    template <class... Arguments>
        requires(sizeof...(Arguments) != sizeof...(Parameters))  // default values, or a pack that goes on
    void with(Arguments... arguments) const {
        launch(body, where, shape, arguments...);
    }
};

// `pointer` gives the one function, else 0.
template <class Pointer, class Body>
auto launch_named(Pointer pointer, Body body, site where, configuration shape) {
    return named_launch<Body, decltype(pointer(one_function()))>{body, pointer(one_function()), where, shape};
}

}  // namespace simt
#pragma GCC visibility pop

// A kernel as it is written, template arguments and their commas included; in a macro's body, after its parameters.
#define SIMT_TEXT(...) #__VA_ARGS__
