"""What an exercise asks for: the vocabulary of a ``spec.py``.

A ``spec.py`` lies beside the stub it judges and is also its documentation: a learner may read it. It is
imported by the trusted parent only, never by the process that runs learner code. A complete one, for a fused
multiply-add::

    import torch
    from grader.specification import Case, Gradient, Refusal, Speed, drawn, tensor

    ENTRY = "muladd"                        # the function of op.py that is called

    def reference(a: torch.Tensor, b: torch.Tensor, c: float) -> torch.Tensor:
        "Plain torch. Called with float64 CPU tensors (integers stay integers); its result is the truth."
        return a * b + c

    CASES = [
        Case("one block", [tensor(256), tensor(256), 2.0]),
        Case("a partial last block", [tensor((5, 67)), tensor((5, 67)), -0.5]),
        Case("float64", [tensor(513, "float64"), tensor(513, "float64"), 3.0]),
        Case("empty", [tensor(0), tensor(0), 1.0]),
        Case("NaN goes through", [tensor(100, special="nan"), tensor(100), 1.0]),
        Case("on a side stream", [tensor(1000), tensor(1000), 1.0], stream="side"),
        Case("sizes of this verdict", sizes=drawn(      # from its seed: others for every verdict
            lambda n: [tensor(n), tensor(n), 1.5], n=(65_537, 100_000),
        )),
    ]

    REFUSALS = [                            # bad input must raise, and the message must name the argument
        Refusal("different shapes", [tensor(4), tensor(5), 1.0], mentions=["b", "shape"]),
        Refusal("b on the CPU", [tensor(4), tensor(4, device="cpu"), 1.0], mentions=["b", "CUDA"]),
        Refusal("a has a stride", [tensor(4, layout="sliced"), tensor(4), 1.0], mentions=["a", "contiguous"]),
    ]

    GRADIENT = Gradient(cases=[             # float64 cases are also given to torch.autograd.gradcheck
        Case("odd shape", [tensor((7, 5), "float64"), tensor((7, 5), "float64"), 1.5]),
    ])

    def traffic(a: torch.Tensor, b: torch.Tensor, c: float) -> int:
        "Bytes of device memory that the operation must move: read a and b, write one result."
        return 3 * a.numel() * a.element_size()

    def flops(a: torch.Tensor, b: torch.Tensor, c: float) -> int:
        return 2 * a.numel()

    SPEED = Speed([tensor(1 << 24), tensor(1 << 24), 1.5], baseline="a * b + c")

    PROFILE = Case("65,536 elements", [tensor(1 << 16), tensor(1 << 16), 1.5])  # what grader profile counts

Required are ``ENTRY``, ``reference`` and ``CASES``. Optional are ``REFUSALS``, ``GRADIENT``, ``SPEED``,
``PROFILE``, ``EFFICIENCY``, ``DISPATCHER``, ``PACKAGING``, ``QUESTIONS``, ``traffic``, ``flops``,
``accumulation``, ``tolerances``, ``ROUNDED_ONCE``, ``CONFUSED`` and ``FIXED_SIZES``:

``PROFILE``
    The case that ``grader profile`` runs when it is not told another: large enough that edges do not weigh,
    small enough for a simulated GPU, which executes some million accesses a second. Default: the case of
    ``EFFICIENCY``; else, of ``CASES``, the largest that is laid out plainly.
``DISPATCHER``
    The operators that a submission registers, and the calls by which opcheck, torch.compile and torch.func
    are tried on them; see :class:`Dispatcher`.
``EFFICIENCY``
    Limits on what the simulated GPU counts in one case, for exercises with points for ``efficiency``:
    ``Efficiency(Case(...), [Limit("global_load_sectors", lambda a, b, c: ...), Limit("launches", 1)])``.
    ``python -m pydoc grader.specification.efficiency`` has the words; ``METRICS`` there, what can be limited.
``PARTS``
    Several operations, judged one by one, instead of ``ENTRY``, ``reference`` and ``CASES``; see
    :class:`Part`.
``QUESTIONS``
    A list of ``Choice``, ``Count`` and ``Returned``, for exercises with points for ``answers``: what the
    learner answers in ``answers.toml``. ``python -m pydoc grader.specification.questions`` has the words.

``PACKAGING``
    What the wheel has to be, for exercises with points for ``packaging``; see :class:`Packaging`.
``WORKLOADS``
    For exercises with points for ``measurements``, in which the learner writes a benchmark: planted workloads
    of known duration. ``python -m pydoc grader.specification.workloads`` has the words.
``TESTS``
    For exercises with points for ``accepts`` and ``kills``, in which the learner writes the tests:
    ``Tests("test_op.py", seconds=20, total=300)``. ``python -m pydoc grader.specification.suites``.

``accumulation(*args) -> int``
    The largest number of terms that are added into one element of an output or of a gradient (the inner
    dimension of a matmul, the rows of a column sum). It widens the tolerance by the rounding error of such a
    sum. Default 1.
``tolerances(dtype) -> (relative, absolute)``
    Replaces the derived tolerance, for an operation whose error has another source (``--use_fast_math``).
    ``dtype`` is the torch.dtype of the result.
``ROUNDED_ONCE = True``
    Asks that results in float16 and bfloat16 are computed in float32 and rounded once, when they are stored:
    their tolerance is then one rounding of the result, plus that of float32 for the rest. Default False:
    a short expression may round at every step.
``CONFUSED``
    Formulas that are easily taken for the reference's, by what they are: ``{"the exact GELU, with erf": f}``,
    with the parameters of ``reference``. A wrong answer, or a wrong gradient, that one of them gives to
    rounding is named so. A function that calls ``detach()`` describes a derivative that lacks a term.
``FIXED_SIZES``
    A sentence that says why no case has drawn sizes. Without it, `grader dev check` asks for such a case
    among ``CASES`` and among those of ``GRADIENT``: ``python -m pydoc grader.specification.sizes``.

Arguments are named after the parameters of ``reference``; ``mentions`` and every sentence of a verdict use
these names. What the reference returns at the case's own dtypes fixes the dtype and shape that are asked
for; the device is that of the first tensor argument; NumPy arguments ask for NumPy results.
"""

from grader.specification.dispatcher import Dispatcher, Mapped, Operator
from grader.specification.efficiency import Efficiency, Limit
from grader.specification.loading import Spec, load_spec
from grader.specification.packaging import Packaging, StableAbi
from grader.specification.parts import Part
from grader.specification.questions import Choice, Count, Program, Returned
from grader.specification.sizes import DrawnSizes, drawn
from grader.specification.suites import Tests
from grader.specification.vocabulary import (
    Argument,
    Case,
    Gradient,
    Refusal,
    Speed,
    TensorSpec,
    tensor,
)
from grader.specification.workloads import Pair, Workload, Workloads

__all__ = [
    "Argument",
    "Case",
    "Choice",
    "Count",
    "Dispatcher",
    "DrawnSizes",
    "Efficiency",
    "Gradient",
    "Limit",
    "Mapped",
    "Operator",
    "Packaging",
    "Pair",
    "Part",
    "Program",
    "Refusal",
    "Returned",
    "Spec",
    "Speed",
    "StableAbi",
    "TensorSpec",
    "Tests",
    "Workload",
    "Workloads",
    "drawn",
    "load_spec",
    "tensor",
]
