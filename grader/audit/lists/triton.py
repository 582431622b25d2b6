"""Triton: what a kernel may use of its language, and what op.py may use to launch it.

Of the language, what compilers and the interpreter share. Left out is what only a compiled kernel has (inline
assembly, libdevice), and what reaches for Triton's own parts.
"""

from __future__ import annotations

from grader.audit.lists import Group, group

_PROGRAMS = (
    "assume condition constexpr device_assert device_print num_programs program_id range static_assert "
    "static_print static_range"
)
_MAKE = (
    "arange cast cat expand_dims full interleave join permute ravel reshape split squeeze swizzle2d trans "
    "unsqueeze view zeros zeros_like"
)
_MEMORY = (
    "advance atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor "
    "debug_barrier load load_tensor_descriptor make_block_ptr make_tensor_descriptor max_constancy "
    "max_contiguous multiple_of store store_tensor_descriptor"
)
_COMPUTE = (
    "abs associative_scan argmax argmin broadcast broadcast_to cdiv ceil clamp cos cumprod cumsum div_rn dot "
    "erf exp exp2 fdiv flip floor fma gather histogram log log2 max maximum min minimum philox "
    "rand rand4x randint randn reduce reduce_or rsqrt sigmoid sin softmax sort sqrt sqrt_rn sum topk umulhi "
    "where xor_sum"
)
_DTYPES = (
    "PropagateNan bfloat16 const dtype float16 float32 float64 float8e4nv float8e5 int1 int16 int32 int64 "
    "int8 pi32_t pointer_type tensor tensor_descriptor uint16 uint32 uint64 uint8"
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
# Of the members of tl.tensor, tl.dtype, tl.constexpr and tl.tensor_descriptor: none that leads to objects
# of the compiler or the interpreter.
KERNEL_ATTRIBUTES = group(
    "of values in a kernel, of their types, and of a pointer's",
    "T abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_max atomic_min "
    "atomic_or atomic_xchg atomic_xor block_shape broadcast_to cast cdiv ceil cos cumprod cumsum dtype "
    "element_ty erf exp exp2 expand_dims flip floor gather histogram int_bitwidth is_bf16 is_block is_bool "
    "is_floating is_fp16 is_fp32 is_fp64 is_fp8 is_int is_int1 is_int16 is_int32 is_int64 is_int8 "
    "is_int_signed is_int_unsigned is_ptr is_standard_floating is_uint16 is_uint32 is_uint64 is_uint8 item "
    "load log log2 logical_and logical_or max min name numel permute primitive_bitwidth ravel "
    "reduce reduce_or reshape rsqrt scalar scatter shape sigmoid sin softmax sort split sqrt sqrt_rn store "
    "sum to trans type value view xor_sum",
)
BUILTINS = group(
    "Python's own names that Triton's compiler knows", "float int isinstance len list max min print range"
)
CONFIG_ATTRIBUTES = group("numbers of a configuration", "kwargs num_ctas num_stages num_warps")
HOST: dict[str, Group] = {"triton": group("sizes grids and tiles", "cdiv next_power_of_2")}
