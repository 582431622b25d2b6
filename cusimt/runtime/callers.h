// The calls that led to an access: in a library function, the user's own call is the line to change.
#pragma once
#include <vector>

namespace simt {

// The return addresses of the calls on the running stack that led to `call_site`, a return address in device code: the
// innermost first, up to the kernel's launch. Empty when the stack that runs is not the one with `call_site`.
std::vector<const void*> callers_of(const void* call_site);

}  // namespace simt
