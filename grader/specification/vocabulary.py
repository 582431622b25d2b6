"""The classes that a `spec.py` is written with: plain data, without torch; nothing is drawn or run here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

if TYPE_CHECKING:
    from grader.specification.sizes import DrawnSizes

Layout: TypeAlias = Literal[
    "contiguous", "transposed", "sliced", "offset", "expanded", "permuted", "interleaved", "padded",
    "truncated", "far",
]  # fmt: skip
Special: TypeAlias = Literal["nan", "inf", "large", "zeros", "ones", "masked", "sorted"]
Kind: TypeAlias = Literal["tensor", "numpy"]
Stream: TypeAlias = Literal["default", "side"]
AUTOCAST = ("float16", "bfloat16")
Leaf = TypeVar("Leaf")

DTYPES = (
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
    "uint8", "int8", "int16", "int32", "int64", "bool",
)  # fmt: skip
NUMPY_HAS_NOT = ("bfloat16",)
SMALLEST_RANK = {
    "transposed": 2, "sliced": 1, "expanded": 1, "permuted": 3, "interleaved": 3, "padded": 2,
    "truncated": 2, "far": 2,
}  # fmt: skip
FAR = 2**31  # elements: the first offset that a signed 32-bit integer cannot hold
SHORT = ("uint8", "int8", "bool", "float16", "bfloat16")  # whose storage of 2^31 elements most GPUs can hold


def far_step(entries: int, bytes_each: int) -> int:
    """From one entry of a ``far`` tensor to the next, in elements, less what an entry itself has."""
    return FAR if bytes_each == 1 else FAR // (entries - 1)


@dataclass(frozen=True)
class TensorSpec:
    """A tensor still to be drawn; made by :func:`tensor`."""

    shape: tuple[int, ...]
    dtype: str
    layout: Layout
    device: str
    low: float
    high: float
    name: str | None
    kind: Kind
    special: Special | None
    computed_in: str | None = None  # the dtype that autocast turns it into; from its case

    @property
    def numel(self) -> int:
        return prod(self.shape)

    @property
    def floating(self) -> bool:
        return self.dtype.startswith(("float", "bfloat", "complex"))


Argument: TypeAlias = "TensorSpec | int | float | bool | str | list[Argument] | None"


def tensor(
    shape: int | Sequence[int],
    dtype: str = "float32",
    layout: Layout = "contiguous",
    device: str = "cuda:0",
    *,
    low: float = -1,
    high: float = 1,
    name: str | None = None,
    kind: Kind = "tensor",
    special: Special | None = None,
) -> TensorSpec:
    """Describe one input; its values are drawn from the verdict's seed after learner code has loaded.

    Args:
        shape: extents; an integer means one dimension. ``()`` is a scalar tensor.
        dtype: a torch name: ``"float32"``, ``"bfloat16"``, ``"int64"``...
        layout: how the elements lie in memory, in elements of the dtype:
            ``contiguous`` row-major; ``transposed`` the last two dimensions exchanged (rank >= 2);
            ``sliced`` every second element of the last dimension, as in ``x[..., ::2]``; ``truncated`` the
            first elements of longer rows, as in ``x[..., :38]``, with a multiple of four elements from row to
            row (rank >= 2): what is left out is NaN, and the storage ends with the last row; ``offset``
            row-major but starting one element into its storage, so that vector loads are misaligned;
            ``expanded`` stride 0 along the first dimension; ``permuted`` the second dimension innermost, as
            channels_last has it (rank >= 3); ``interleaved`` dense rows, with the two dimensions before them
            exchanged, as of a projection that was split into heads (rank >= 3); ``padded`` row-major with a
            gap behind each row, as in ``x[..., :columns]`` (rank >= 2); ``far`` row-major, except that the
            stride along the first dimension is huge. Elements of one byte: it is just above 2^31, so that the
            second entry overflows a signed 32-bit offset, and the third one an unsigned one, too. Of two
            bytes: the last entry alone is beyond 2^31, and with three or more the stride fits into 32 bits,
            so that a product with the index overflows in Triton, too. (Rank >= 2, at least two entries there.
            Storage of 2 GiB for each entry of bytes after the first, or 4 GiB, of which only the elements are
            resident on simt and on the host, and all of it on a real GPU.)
        device: ``"cuda:0"``, ``"cuda:1"`` or ``"cpu"``; ignored by NumPy arrays, which are on the host.
        low, high: floating values are uniform in ``[low, high)``, integers in ``[low, high]``.
        name: how verdicts call it; default the parameter of ``reference`` at this position.
        kind: ``"numpy"`` hands over a NumPy array with the same strides.
        special: ``nan`` and ``inf`` sprinkle such values (about one in ten, at least one); ``large`` draws
            magnitudes between 1e2 and 1e4 with either sign; ``zeros`` and ``ones`` are constant; ``masked``
            puts -inf into each row (the last dimension) from a random place on, as an attention mask does,
            and into the whole of the first row if there are several; ``sorted`` puts each row in ascending
            order, as the row numbers of a sparse matrix are.
    """
    extents = (shape,) if isinstance(shape, int) else tuple(int(extent) for extent in shape)
    described = TensorSpec(extents, dtype, layout, device, low, high, name, kind, special)
    _refuse_nonsense(described)
    return described


def _refuse_nonsense(given: TensorSpec) -> None:
    """Raise ValueError when no tensor can look like this; :func:`load_spec` adds the file."""
    if any(extent < 0 for extent in given.shape):
        raise ValueError(f"tensor{given.shape}: an extent is negative")
    if given.dtype not in DTYPES:
        raise ValueError(f"dtype {given.dtype!r} is none of {', '.join(DTYPES)}")
    if given.layout not in get_args(Layout):
        raise ValueError(f"layout {given.layout!r} is none of {', '.join(get_args(Layout))}")
    if given.special is not None and given.special not in get_args(Special):
        raise ValueError(f"special {given.special!r} is none of {', '.join(get_args(Special))}")
    if given.special == "masked" and (not given.floating or given.dtype.startswith("complex")):
        raise ValueError(f"special='masked' needs a real floating dtype, not {given.dtype}")
    if given.special in ("masked", "sorted") and not given.shape:
        raise ValueError(f"special={given.special!r} needs at least 1 dimension")
    if given.special == "sorted" and given.dtype.startswith("complex"):
        raise ValueError("special='sorted' needs numbers with an order")
    if given.special in ("nan", "inf") and not given.floating:
        raise ValueError(f"special={given.special!r} needs a floating dtype, not {given.dtype}")
    if given.kind not in get_args(Kind) or (given.kind == "numpy" and given.dtype in NUMPY_HAS_NOT):
        raise ValueError(f"kind={given.kind!r} does not go with dtype {given.dtype}")
    if given.device not in ("cuda:0", "cuda:1", "cpu"):
        raise ValueError(f"device {given.device!r} is none of cuda:0, cuda:1, cpu")
    if len(given.shape) < SMALLEST_RANK.get(given.layout, 0):
        raise ValueError(f"layout {given.layout!r} needs at least {SMALLEST_RANK[given.layout]} dimensions")
    if given.layout == "far" and (given.shape[0] < 2 or 0 in given.shape or given.dtype not in SHORT):
        raise ValueError(
            f"layout 'far' needs two entries along the first dimension, no empty one, and one of the dtypes "
            f"{', '.join(SHORT)}, not {given.dtype} {given.shape}"
        )
    if given.layout == "far" and (given.kind == "numpy" or given.device == "cpu"):
        raise ValueError("layout 'far' is for tensors on a CUDA device")
    if not given.low <= given.high:
        raise ValueError(f"low={given.low} is above high={given.high}")


@dataclass(frozen=True)
class Case:
    """One call whose answer is compared with the reference.

    ``sizes=drawn(...)``, in CASES and in the cases of GRADIENT, stands in place of ``args``: the sizes are
    drawn from the verdict's seed. Every exercise has such a case, or says in FIXED_SIZES why not.

    ``stream="side"`` makes another stream current around the call (every launch must follow it);
    ``modifies`` names arguments that the call is meant to change in place, which the reference then changes
    too: a tensor, or a list with all its tensors. Where their gradient is asked for, the call gets copies of
    the leaves, since autograd lets nobody change a leaf. ``device`` is the current device, so that a case
    with tensors on ``cuda:1`` and ``device=0`` shows a missing guard. ``streams`` is the least number of
    launches that must be able to run at the same time: on different streams, with no order between them. On
    simt, where the runtime knows which work waits for which, exactly that is judged; on cuda only the number
    of different streams, since a profiler's times show what happened to overlap, not what may.

    ``autocast="float16"`` (or ``"bfloat16"``) makes the call inside ``torch.autocast("cuda", dtype)``, and
    its backward outside, as a training loop does. The operation must then compute on its floating CUDA
    tensors, float64 excepted, as if they were cast to that dtype: the reference gets them rounded to it,
    its result for that dtype fixes the dtype of the result, and gradients keep the dtype of their inputs.
    ``cast_inputs`` is the dtype that the operation casts to if it is not the region's, as in
    ``torch.amp.custom_fwd``: ``"float32"`` for an operation that needs the range or the digits.

    ``deterministic=True`` makes the call, and its backward
    in gradient cases, under ``torch.use_deterministic_algorithms(True)``, several times: on simt in other
    orders of blocks and threads, on cuda again and again. Every run has to give the same bits. ``waits=True``
    allows the call to wait for the device and to copy a number or two (16 bytes) from it to the host, for an
    operation that has to know a result before it returns; without it a wait fails ``device_work``.
    ``launch_errors=True`` also makes the call, on simt, once for each launch and for each call of a library,
    up to eight of both, on a device that refuses this one: it has to raise, as it does where a launch or a
    status is checked. In a gradient case the backward is run so.
    """

    name: str
    args: Sequence[Argument] = ()
    stream: Stream = "default"
    modifies: tuple[str, ...] = ()
    device: int = 0
    streams: int = 1
    autocast: str | None = None
    cast_inputs: str | None = None
    deterministic: bool = False
    waits: bool = False
    launch_errors: bool = False
    sizes: DrawnSizes | None = None


# What TORCH_CHECK, TORCH_CHECK_TYPE, TORCH_CHECK_VALUE and TORCH_CHECK_INDEX raise in Python.
OF_TORCH_CHECK = (RuntimeError, TypeError, ValueError, IndexError)


@dataclass(frozen=True)
class Refusal:
    """One call that must raise ``exception`` with a message that holds every word of ``mentions``.

    Case does not matter. The name of an argument must stand as a whole word; any other word may go on
    (``shape`` finds "shapes"). PyTorch's own checks say size: it stands for shape.
    The exception's class must be one of those asked for, not a subclass: an open TODO raises
    NotImplementedError, which is a RuntimeError. Without a class, it is one that TORCH_CHECK or one of its
    relatives raises, such as TORCH_CHECK_TYPE.
    """

    name: str
    args: Sequence[Argument]
    mentions: Sequence[str] = ()
    exception: type[BaseException] | tuple[type[BaseException], ...] = OF_TORCH_CHECK

    @property
    def exceptions(self) -> tuple[str, ...]:
        classes = self.exception if isinstance(self.exception, tuple) else (self.exception,)
        return tuple(each.__name__ for each in classes)

    @property
    def wanted(self) -> str:
        """What a verdict asks for: of the classes of TORCH_CHECK, the one that most of them raise."""
        names = self.exceptions
        return names[0] if self.exception == OF_TORCH_CHECK else " or ".join(names)


@dataclass(frozen=True)
class Gradient:
    """How the backward pass is judged.

    Every case is compared, for random, expanded and non-contiguous cotangents (of a result with at least
    three dimensions, also ``interleaved`` ones), with float64 autograd through the reference, and once per
    input with that input alone requiring grad. The first one that has elements is also asked with each
    tensor changed in place between forward and backward.
    ``mode="gradcheck"`` also runs ``torch.autograd.gradcheck`` on the cases whose floating inputs are all
    float64; ``"cotangent"`` never does, for an operation that has no float64 kernel. ``inputs`` names the
    differentiable arguments (default: every floating tensor). ``unrequested=True`` also fails a backward
    that launches as many kernels for one gradient as for all. ``nondet_tol`` goes to gradcheck: the
    difference allowed between two backward runs of one input; none is in a deterministic case.
    ``twice=True`` also differentiates the backward: it has to be right then, or refuse as
    ``once_differentiable`` does. ``by_kernel=True`` asks that the learner's kernel writes every gradient,
    for an operation that only moves numbers: there a view of the cotangent, or an operator that copies,
    gives the right values. Where passing the cotangent on is right, as for a sum, leave it out.
    """

    cases: Sequence[Case] = ()
    mode: Literal["gradcheck", "cotangent"] = "gradcheck"
    inputs: tuple[str, ...] | None = None
    unrequested: bool = False
    nondet_tol: float = 0.0
    twice: bool = False
    by_kernel: bool = False


@dataclass(frozen=True)
class Speed:
    """What is timed on a real GPU.

    ``baseline`` is a torch expression over the names of ``reference``'s parameters. ``steps`` are ``(ratio,
    share)`` pairs: from ``ratio`` = baseline time / own time on, that share of the points is earned. Inputs
    are drawn on the GPU, so every tensor is contiguous and has no special values; ``reference`` has to accept
    tensors there. Raises ValueError for others.
    """

    args: Sequence[Argument]
    baseline: str
    steps: Sequence[tuple[float, float]] = field(default=((0.25, 0.25), (0.5, 0.5), (0.8, 1.0)))

    def __post_init__(self) -> None:
        for each in tensors_of(self.args):
            if each.layout != "contiguous" or each.special is not None or each.kind != "tensor":
                raise ValueError(
                    "SPEED times contiguous tensors without special values: workers draw them on the GPU"
                )


def tensors_of(args: Sequence[Argument]) -> Iterator[TensorSpec]:
    """The tensors among the arguments of a call, those inside lists included."""
    return leaves(args, TensorSpec)


def leaves(nested: Iterable[Any], kind: type[Leaf]) -> Iterator[Leaf]:
    """What is of one ``kind``, in the order of arguments, those inside lists included."""
    for each in nested:
        if isinstance(each, list):
            yield from leaves(each, kind)
        elif isinstance(each, kind):
            yield each
