"""torch and numpy: the modules that op.py may use, and the names of each.

Functions of tensors are PyTorch's operators: the grader sees them when they run, and counts their work as a
library's. What is left out reads and writes files, evaluates strings, changes PyTorch for everybody, makes
tensors of addresses, or builds sparse tensors from indices that nothing checks.
"""

from __future__ import annotations

from grader.audit.lists import Group, group
from grader.audit.lists.attributes import ELEMENTWISE

_MAKE = (
    "from_numpy "
    "arange as_tensor asarray atleast_1d atleast_2d atleast_3d complex empty empty_like empty_strided eye "
    "full full_like linspace logspace normal ones ones_like polar rand rand_like randint randint_like randn "
    "randn_like randperm scalar_tensor tensor tril_indices triu_indices zeros zeros_like"
)
_COMBINE = (
    "block_diag broadcast_shapes broadcast_tensors bucketize cartesian_prod cat cdist chain_matmul "
    "column_stack combinations concat concatenate dstack einsum hstack isin meshgrid searchsorted stack "
    "std_mean tensordot trapezoid trapz var_mean view_as_complex view_as_real vstack"
)
_LAYERS = (
    "adaptive_avg_pool1d avg_pool1d batch_norm bilinear celu conv1d conv2d conv3d cosine_similarity dropout "
    "embedding group_norm layer_norm max_pool1d max_pool2d max_pool3d native_layer_norm pairwise_distance "
    "rms_norm selu threshold"
)
_DTYPES = (
    "bfloat16 bool cdouble cfloat complex128 complex32 complex64 double float float16 float32 float64 "
    "float8_e4m3fn float8_e5m2 half int int16 int32 int64 int8 long short uint16 uint32 uint64 uint8"
)
_TYPES = (
    "Generator Size Tensor channels_last contiguous_format device dtype finfo iinfo layout memory_format "
    "preserve_format strided"
)
_CONSTANTS = "e inf nan newaxis pi"
_ASK = (
    "__version__ _check are_deterministic_algorithms_enabled can_cast get_autocast_dtype get_default_dtype "
    "is_autocast_enabled is_complex is_floating_point is_grad_enabled is_inference_mode_enabled is_tensor "
    "is_nonzero is_same_size is_storage promote_types result_type"
)
_REGIONS = "autocast enable_grad inference_mode manual_seed no_grad set_grad_enabled vmap"
_FUNCTIONAL = (
    "batch_norm binary_cross_entropy conv1d conv2d cosine_similarity cross_entropy dropout elu embedding "
    "gelu glu group_norm hardsigmoid hardswish hardtanh huber_loss kl_div l1_loss layer_norm leaky_relu "
    "linear log_softmax logsigmoid mish mse_loss nll_loss normalize one_hot pad pairwise_distance prelu "
    "relu relu6 rms_norm scaled_dot_product_attention selu sigmoid silu smooth_l1_loss softmax softmin "
    "softplus softsign tanh threshold unfold"
)

TORCH: dict[str, Group] = {
    "torch": group(
        "make tensors, compute with them, and say what they are",
        " ".join((_MAKE, _COMBINE, _LAYERS, _DTYPES, _TYPES, _CONSTANTS, _ASK, _REGIONS, *ELEMENTWISE)),
    ),
    "torch.amp": group("lower precision, by region", "autocast custom_bwd custom_fwd"),
    "torch.autograd": group(
        "derivatives", "Function backward enable_grad grad gradcheck gradgradcheck no_grad set_grad_enabled"
    ),
    "torch.autograd.function": group("derivatives", "Function FunctionCtx once_differentiable"),
    "torch.autograd.functional": group("derivatives", "hessian hvp jacobian jvp vhp vjp"),
    "torch.compiler": group(
        "asks whether it is compiled, or is left out of it", "disable is_compiling is_dynamo_compiling"
    ),
    "torch.cuda": group(
        "devices, streams and what memory is in use",
        "Event Stream StreamContext current_device current_stream default_stream device device_count "
        "empty_cache get_device_capability get_device_name get_device_properties is_available "
        "max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats "
        "reset_peak_memory_stats set_device set_stream stream synchronize",
    ),
    "torch.cuda.amp": group("lower precision, by its former name", "autocast custom_bwd custom_fwd"),
    "torch.cuda.nvtx": group("ranges in a profile", "mark range range_pop range_push"),
    "torch.func": group(
        "transformations of functions", "grad grad_and_value hessian jacfwd jacrev jvp vjp vmap"
    ),
    "torch.jit": group("asks whether it is traced or scripted", "is_scripting is_tracing"),
    "torch.linalg": group(
        "PyTorch's operators", "cross det inv matrix_norm multi_dot norm solve vector_norm"
    ),
    "torch.nn": group(
        "layers around an operator",
        "Buffer Dropout Flatten GELU Identity LayerNorm Linear Module ModuleDict ModuleList Parameter "
        "ParameterDict ParameterList ReLU Sequential SiLU Softmax Tanh Unflatten",
    ),
    "torch.nn.init": group(
        "fills parameters in place",
        "calculate_gain constant_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ "
        "trunc_normal_ "
        "uniform_ xavier_normal_ xavier_uniform_ zeros_",
    ),
    "torch.overrides": group(
        "asks whether an argument has an implementation of its own",
        "has_torch_function has_torch_function_unary has_torch_function_variadic is_tensor_like",
    ),
    "torch.nn.functional": group("PyTorch's operators", _FUNCTIONAL),
    "torch.special": group("PyTorch's operators", "erf erfc expit expm1 log1p log_softmax logsumexp softmax"),
    "torch.testing": group("comparisons with tolerances", "assert_close make_tensor"),
    "torch.utils.checkpoint": group("computes an operation again in backward", "checkpoint"),
    "torch.version": group("versions, as texts", "cuda hip"),
}
NUMPY: dict[str, Group] = {
    "numpy": group(
        "arrays, and numbers from measurements",
        "abs add all allclose amax amin any arange argmax argmin argsort array array_equal asarray "
        "ascontiguousarray bool_ broadcast_shapes broadcast_to ceil clip concatenate cumsum diff divide dot "
        "dtype empty empty_like errstate exp expand_dims expm1 eye finfo flip "
        "float16 float32 float64 floating floor full full_like generic inf int16 int32 int64 int8 integer "
        "isclose isfinite isinf isnan issubdtype linspace log log2 matmul max maximum mean median min "
        "minimum multiply nan nan_to_num nanmedian ndarray ndim ones ones_like outer percentile pi prod "
        "quantile ravel repeat reshape result_type round shape size sort sqrt square squeeze stack std "
        "subtract sum swapaxes tile transpose uint16 uint32 uint64 uint8 unique var where zeros zeros_like",
    ),
    "numpy.random": group("random numbers of a seed of one's own", "default_rng"),
    "numpy.testing": group(
        "comparisons with tolerances",
        "assert_allclose assert_almost_equal assert_array_almost_equal assert_array_equal assert_array_less "
        "assert_equal",
    ),
    "numpy.typing": group("annotations", "ArrayLike DTypeLike NDArray"),
}
