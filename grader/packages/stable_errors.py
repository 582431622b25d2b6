"""The mistake behind a compiler's errors about torch's stable headers.

Those headers hide what TORCH_TARGET_VERSION or USE_CUDA does not ask for, so the compiler says only that a
name is unknown.
"""

from __future__ import annotations

import re

_UNSTABLE = re.compile(
    r"#error .*should not be included when.*TORCH_TARGET_VERSION.*\n.*#\s*include\s*[<\"]([^>\"]+)"
)
_FOR_CUDA = re.compile(
    r"\b((?:aoti_)?torch_\w*cuda\w*|torch_c10_cuda_check_msg)\W* (?:was not declared|is not a member)"
)
_HIDDEN = re.compile(
    r"(STD_CUDA_(?:KERNEL_LAUNCH_)?CHECK|STABLE_TORCH_ERROR_CODE_CHECK|torch::stable::\w+|nativeHandle|const_data_ptr|"
    r"mutable_data_ptr)\b.*(?:was not declared|not a member|no member|no matching)|"
    r"(?:not a member of|no member named) .*torch::stable"
)
_PLAIN_POINTER = re.compile(r"(?:invalid conversion|cannot convert|no matching).*StableIValue")


def why(errors: str) -> str:
    """A sentence on the first known error in `errors`; "" without one."""
    if unstable := _UNSTABLE.search(errors):
        return (
            f"{unstable[1]} is a header of torch's own C++, whose layout changes: where TORCH_TARGET_VERSION "
            "is defined, it does not compile. Include what is below torch/csrc/stable, torch/headeronly and "
            "torch/csrc/inductor/aoti_torch/c."
        )
    if for_cuda := _FOR_CUDA.search(errors):
        return (
            f"shim.h declares {for_cuda[1]}, as all its functions for CUDA, only where USE_CUDA is defined: "
            "add -DUSE_CUDA to the flags for the C++ compiler."
        )
    if _PLAIN_POINTER.search(errors):
        return (
            "m.impl takes a function of a stack of StableIValue: TORCH_BOX(&f) makes one that unpacks the "
            "stack, calls f and packs the result."
        )
    if _HIDDEN.search(errors):
        return (
            "The stable headers hide what is newer than TORCH_TARGET_VERSION: is the release that it states "
            "the one that was meant?"
        )
    return ""
