// What the translator puts around conditions that end a loop: of a checked module the runtime learns which words a thread has
// waited for.
#pragma once
#include <simt_api.h>

#include "simt/launch.h"
#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

SIMT_INLINE constexpr bool ends(bool condition) {
    if (SIMT_INSTRUMENTED && condition && !__builtin_is_constant_evaluated()) simt_wait_ended();
    return condition;
}
SIMT_INLINE constexpr bool goes_on(bool condition) { return !ends(!condition); }

}  // namespace simt
#pragma GCC visibility pop
