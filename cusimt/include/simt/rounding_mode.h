// The processor's rounding mode: FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD. <fenv.h>'s functions are the host's, which a kernel
// may not call; on x86-64, where the checked build sees that, the register is written here.
#pragma once
#include <fenv.h>

#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

#ifdef __x86_64__
// Set `mode`, and return what `restore_rounding` takes. SSE's register has the bits of <fenv.h>'s numbers, three places up.
SIMT_HOST SIMT_INLINE unsigned change_rounding(int mode) {
    unsigned before = __builtin_ia32_stmxcsr(), bits = unsigned(FE_TOWARDZERO) << 3;
    __builtin_ia32_ldmxcsr((before & ~bits) | unsigned(mode) << 3);
    return before;
}
SIMT_HOST SIMT_INLINE void restore_rounding(unsigned before) { __builtin_ia32_ldmxcsr(before); }
#else
SIMT_HOST SIMT_INLINE int change_rounding(int mode) {
    int before = fegetround();
    fesetround(mode);
    return before;
}
SIMT_HOST SIMT_INLINE void restore_rounding(int before) { fesetround(before); }
#endif

}  // namespace simt
#pragma GCC visibility pop
