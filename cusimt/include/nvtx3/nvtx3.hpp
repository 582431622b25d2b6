// NVTX for C++: ranges that last as long as an object. No profiler listens here, so they are nothing.
#pragma once
#include "nvtx3/nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {

// What a range or mark is made from, in any order: a message, a color, a category, a payload.
struct event_attributes {
    template <class... Parts>
    explicit event_attributes(const Parts&...) {}
};
struct rgb {
    rgb(unsigned char, unsigned char, unsigned char) {}
};
struct argb {
    argb(unsigned char, unsigned char, unsigned char, unsigned char) {}
};
struct category {
    explicit category(uint32_t) {}
};
struct payload {
    template <class Value>
    explicit payload(Value) {}
};
struct message {
    template <class Text>
    explicit message(const Text&) {}
};
struct domain {
    struct global {};
};

template <class Domain = domain::global>
struct scoped_range_in {
    template <class... Parts>
    explicit scoped_range_in(const Parts&...) {}
    ~scoped_range_in() {}  // a variable that is only declared is used
    scoped_range_in(const scoped_range_in&) = delete;
    scoped_range_in& operator=(const scoped_range_in&) = delete;
};
using scoped_range = scoped_range_in<>;
using thread_range = scoped_range;
template <class Domain = domain::global>
struct unique_range_in {
    template <class... Parts>
    explicit unique_range_in(const Parts&...) {}
    ~unique_range_in() {}
};
using unique_range = unique_range_in<>;

template <class Domain = domain::global, class... Parts>
void mark_in(const Parts&...) {}
template <class... Parts>
void mark(const Parts&...) {}

}  // namespace v1
}  // namespace nvtx3

#define NVTX3_FUNC_RANGE() ::nvtx3::scoped_range nvtx3_function_range__(__func__)
#define NVTX3_FUNC_RANGE_IN(DOMAIN) ::nvtx3::scoped_range_in<DOMAIN> nvtx3_function_range__(__func__)
