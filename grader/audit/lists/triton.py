"""Triton: what a kernel may use of its language, and what op.py may use to launch it.

Of the language, what compilers and the interpreter share. Left out is what only a compiled kernel has (inline
assembly, libdevice), and what reaches for Triton's own parts.
"""

from __future__ import annotations

from grader.audit.lists import Group, group

_PROGRAMS = (
    "assume constexpr device_assert device_print num_programs program_id range static_assert static_range"
)
_MAKE = (
    "arange cast cat expand_dims full interleave join permute ravel reshape split swizzle2d trans zeros "
    "zeros_like"
)
_MEMORY = (
    "advance atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor "
    "debug_barrier load load_tensor_descriptor make_block_ptr make_tensor_descriptor max_constancy "
    "max_contiguous multiple_of store store_tensor_descriptor"
)
_COMPUTE = (
    "abs associative_scan argmax argmin broadcast broadcast_to cdiv ceil clamp cos cumprod cumsum div_rn dot "
    "erf exp exp2 fdiv flip floor fma gather histogram log log2 max maximum min minimum rand randint randn "
    "reduce rsqrt sigmoid sin softmax sort sqrt sqrt_rn sum topk umulhi where xor_sum"
)
_DTYPES = (
    "bfloat16 float16 float32 float64 float8e4nv float8e5 int1 int16 int32 int64 int8 pi32_t pointer_type "
    "uint16 uint32 uint64 uint8 tensor"
)

KERNEL: dict[str, Group] = {
    "triton": group("makes kernels of functions", "Config autotune cdiv heuristics jit next_power_of_2"),
    "triton.language": group(
        "the language of kernels", " ".join((_PROGRAMS, _MAKE, _MEMORY, _COMPUTE, _DTYPES))
    ),
    "triton.language.math": group(
        "mathematics, element by element",
        "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi",
    ),
}
KERNEL_ATTRIBUTES = group(
    "of values in a kernel, of their types, and of a pointer's",
    "T broadcast_to cast dtype element_ty logical_and logical_or primitive_bitwidth ravel reshape scalar "
    "shape store load gather scatter to trans type value",
)
HOST: dict[str, Group] = {"triton": group("sizes grids and tiles", "cdiv next_power_of_2")}
