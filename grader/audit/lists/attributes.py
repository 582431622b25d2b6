"""Attributes that may be read of any value, by name: nobody knows before it runs what a value is."""

from __future__ import annotations

from grader.audit.lists import group, merged, words

# Methods of tensors that are functions of torch as well.
ELEMENTWISE = (
    "abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr adjoint all allclose amax amin "
    "aminmax angle any argmax argmin argsort argwhere as_strided asin asinh atan atan2 atanh baddbmm "
    "bernoulli bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift "
    "bitwise_xor bmm broadcast_to",
    "ceil chunk clamp clamp_max clamp_min clip clone conj copysign cos cosh count_nonzero cross cummax "
    "cummin cumprod cumsum deg2rad det detach diag diag_embed diagonal diff digamma dist div divide dot eq "
    "equal erf erfc erfinv exp exp2 expm1 fix flatten flip fliplr flipud float_power floor floor_divide "
    "fmax fmin fmod frac",
    "gather gcd ge greater greater_equal gt heaviside histc hypot i0 index_add index_copy index_fill "
    "index_put index_select inner inverse isclose isfinite isinf isnan isneginf isposinf kron kthvalue lcm "
    "ldexp le lerp less less_equal lgamma log log10 log1p log2 log_softmax logaddexp logaddexp2 "
    "logcumsumexp logical_and logical_not logical_or logical_xor logit logsumexp lt masked_fill "
    "masked_scatter masked_select",
    "matmul max maximum mean median min minimum mm mode moveaxis movedim mul multiply multinomial mv "
    "nan_to_num nanmean nanmedian nansum narrow narrow_copy ne neg negative nextafter nonzero norm "
    "not_equal numel outer permute positive pow prelu prod quantile rad2deg ravel real reciprocal relu "
    "remainder renorm repeat_interleave reshape resolve_conj resolve_neg roll rot90 round rsqrt",
    "scatter scatter_add scatter_reduce select select_scatter sgn sigmoid sign signbit sin sinc sinh "
    "slice_scatter softmax sort split sqrt square squeeze std sub subtract sum swapaxes swapdims t take "
    "take_along_dim tan tanh tensor_split tile topk trace transpose tril triu true_divide trunc unbind "
    "unflatten unique unique_consecutive unsqueeze var vdot where xlogy",
)
_IN_PLACE = (
    "abs_ add_ addcdiv_ addcmul_ addmm_ atan_ ceil_ clamp_ clamp_max_ clamp_min_ copy_ cos_ cumsum_ detach_ "
    "div_ divide_ eq_ erf_ exp_ expm1_ fill_ fill_diagonal_ floor_ ge_ gt_ index_add_ index_copy_ "
    "index_fill_ index_put_ le_ lerp_ log_ lt_ masked_fill_ mul_ multiply_ nan_to_num_ ne_ neg_ normal_ "
    "pow_ random_ reciprocal_ relu_ requires_grad_ round_ rsqrt_ scatter_ scatter_add_ scatter_reduce_ "
    "sigmoid_ sign_ sin_ sqrt_ square_ squeeze_ sub_ subtract_ t_ tanh_ transpose_ tril_ triu_ trunc_ "
    "uniform_ unsqueeze_ zero_"
)
_OF_TENSORS = (
    "H T backward bfloat16 bool byte char contiguous cpu cuda data data_ptr device dim double dtype "
    "dim_order element_size expand expand_as float get_device grad grad_fn half imag int is_complex "
    "is_conj "
    "is_contiguous is_cpu is_cuda is_floating_point is_inference is_leaf is_meta is_neg is_nested "
    "is_nonzero is_pinned is_quantized is_same_size is_signed is_sparse item "
    "itemsize layout long mH mT nbytes ndim ndimension nelement new_empty new_full new_ones new_tensor "
    "new_zeros numpy pin_memory record_stream register_hook repeat requires_grad reshape_as retain_grad "
    "shape short size storage_offset stride sum_to_size to tolist type_as unfold values view view_as"
)

ATTRIBUTES = {
    "operators": group("PyTorch's operators, which the grader sees when they run", " ".join(ELEMENTWISE)),
    "in place": group("the same, in place", _IN_PLACE),
    "tensors": group("what a tensor is, and copies and views of it", _OF_TENSORS),
    "types": group(
        "facts about dtypes, devices and shapes",
        "bits dig epsilon eps index is_floating_point mant_dig max min name resolution smallest_normal "
        "smallest_subnormal tiny to_complex to_real type",
    ),
    "autograd": group(
        "what a torch.autograd.Function is made of",
        "apply backward forward generate_vmap_rule jvp mark_dirty mark_non_differentiable needs_input_grad "
        "save_for_backward save_for_forward saved_tensors set_materialize_grads setup_context vmap",
    ),
    "vmap": group("what a rule of vmap receives", "batch_size randomness"),
    "modules": group(
        "layers around an operator",
        "add_module append bias buffers children eval extend extra_repr forward in_features load_state_dict "
        "modules named_buffers named_children named_modules named_parameters out_features parameters "
        "register_buffer register_module register_parameter requires_grad_ reset_parameters state_dict "
        "train training weight zero_grad",
    ),
    "streams": group(
        "streams and events",
        "cuda_stream device_index elapsed_time query record record_event stream synchronize wait wait_event "
        "wait_stream",
    ),
    "devices": group(
        "what a GPU is",
        "L2_cache_size gcnArchName major max_threads_per_multi_processor minor multi_processor_count name "
        "regs_per_multiprocessor shared_memory_per_block total_memory warp_size",
    ),
    "locks": group("locks around a cache", "acquire locked release"),
    "messages": group(
        "a logger's messages",
        "addHandler critical debug error exception getChild info isEnabledFor log setLevel warning"
    ),
    "random": group(
        "a generator of random numbers, of PyTorch, Python or NumPy",
        "choice choices gauss initial_seed integers manual_seed normal permutation randint random randrange "
        "sample seed shuffle standard_normal uniform",
    ),
    "operator objects": group("the overload of an operator of one's own", "default out"),
    "arrays": group("arrays of NumPy", "astype copy flags fill ptp reshape strides tobytes"),
    "containers": group(
        "Python's containers",
        "add appendleft clear copy count difference discard elements extend get index insert intersection "
        "isdisjoint issubset issuperset items keys most_common move_to_end pop popitem popleft remove "
        "reverse rotate setdefault sort subtract symmetric_difference total union update values _asdict "
        "_fields _make _replace",
    ),
    "texts": group(
        "Python's strings; `format` would look attributes up by the text",
        "capitalize casefold center count encode endswith find index isalnum isalpha isdigit isidentifier "
        "isascii isdecimal islower isnumeric isspace istitle isupper join ljust lower lstrip "
        "partition removeprefix "
        "removesuffix replace rfind rjust rpartition rsplit rstrip split splitlines startswith strip "
        "swapcase title upper zfill",
    ),
    "numbers": group(
        "Python's numbers", "as_integer_ratio bit_count bit_length conjugate denominator fromhex hex imag "
        "is_integer numerator real start step stop",
    ),
    "errors": group("what an exception says", "add_note args value"),
    "generators": group("running a generator", "close send throw"),
    "functions": group(
        "caches, partial functions and properties",
        "cache_clear cache_info deleter func getter hits keywords kwargs misses setter",
    ),
    "contexts": group("with statements", "callback close enter_context pop_all push"),
    "fields": group(
        "what people call their own; where others have it, it is a text, a number or an array",
        "arguments base category checks closed code encoding end errno errors fields file filename "
        "flat frozen id "
        "identity indices init kind library line lineno lock m maxlen maxsize member message "
        "metadata msg names "
        "namespace ns num offset op order output_nr path reason signature solve source tags text thing",
    ),
}  # fmt: skip
ATTRIBUTE_NAMES = merged(ATTRIBUTES)

# Methods of what torch.library returns, where an exercise allows it.
REGISTRATIONS = words("call_boxed define impl register_autograd register_fake register_kernel register_vmap")
