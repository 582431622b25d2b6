"""Seven operations with gradients, judged one by one, and a question about the cause of each repair."""

from typing import Any

import torch

from grader.specification import Case, Choice, DrawnSizes, Gradient, Part, Refusal, TensorSpec, drawn, tensor

Shapes = list[tuple[str, tuple[int, ...], dict[str, Any]]]

SHAPES: Shapes = [
    ("a partial last block", (5, 67), {}),
    ("transposed", (12, 30), {"layout": "transposed"}),
]
MORE: Shapes = [  # one kernel evaluates all formulas, so these run for the first part alone
    ("one element", (1,), {}),
    ("no elements", (3, 0), {}),
    ("float64", (9, 31), {"dtype": "float64"}),
    ("large values", (4, 30), {"special": "large"}),
]


def cases(tensors: int, number: float | None = None, at: int = 1, shapes: Shapes = SHAPES) -> list[Case]:
    """The shapes for an operation on that many tensors, with a number as argument `at` if there is one."""

    def arguments(shape: tuple[int, ...], **more: Any) -> list[Any]:
        drawn: list[Any] = [tensor(shape, low=-2, high=2, **more) for _ in range(tensors)]
        return drawn if number is None else [*drawn[:at], number, *drawn[at:]]

    ordinary = [
        Case(name, arguments(shape, **more), launch_errors=position == 0)
        for position, (name, shape, more) in enumerate(shapes)
    ]
    least = 1 << 16 if shapes != SHAPES else 1024  # more elements than any small grid covers, once
    sizes = drawn(
        lambda rows, columns: arguments((rows, columns)),
        rows=(5, 5000),
        columns=(5, 5000),
        where=lambda rows, columns: least < rows * columns < 1.4 * least,
    )
    return [*ordinary, Case("on a side stream", sizes=sizes, stream="side")]


def gradient(tensors: int, number: float | None = None, at: int = 1) -> Gradient:
    """Odd shapes in float64, which gradcheck checks as well, and float32."""

    def arguments(shape: tuple[int, ...], dtype: str = "float64") -> list[Any]:
        drawn: list[Any] = [tensor(shape, dtype, low=-2, high=2) for _ in range(tensors)]
        return drawn if number is None else [*drawn[:at], number, *drawn[at:]]

    return Gradient(
        cases=[
            Case("a matrix", arguments((2, 4))),
            Case(
                "float32",
                sizes=drawn(
                    lambda rows, columns: arguments((rows, columns), "float32"),
                    rows=(1, 2000),
                    columns=(1, 2000),
                    where=lambda rows, columns: 1024 < rows * columns < 3000,
                ),
            ),
        ],
        twice=True,
    )


def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return a * b + c


def mix(x: torch.Tensor, weight: float, y: torch.Tensor) -> torch.Tensor:
    return x + weight * (y - x)


def sigmoid(x: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(x)


def silu(x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(x)


def channel_scale(x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
    return x * gain[:, None]


def square(x: torch.Tensor) -> torch.Tensor:
    return x * x


def scaled_tanh(x: torch.Tensor, scale: float) -> torch.Tensor:
    return torch.tanh(scale * x)


def images(shape: tuple[int, int, int], dtype: str = "float32", **more: Any) -> list[TensorSpec]:
    """x of (images, channels, length) and gain of (channels)."""
    return [tensor(shape, dtype, **more), tensor(shape[1], dtype)]


def of_images() -> DrawnSizes:
    """Sizes of this verdict, beyond a block of 1024 threads."""
    return drawn(
        lambda number, channels, length: images((number, channels, length)),
        number=(1, 9),
        channels=(2, 300),
        length=(2, 300),
        where=lambda number, channels, length: 1024 < number * channels * length < 3000,
    )


PARTS = [
    Part(
        "muladd",
        "a gradient for each of three tensors",
        entry="muladd",
        reference=muladd,
        cases=cases(3, shapes=SHAPES + MORE),
        gradient=gradient(3),
        refusals=[Refusal("c is shorter", [tensor(4), tensor(4), tensor(3)], mentions=["c", "shape"])],
    ),
    Part(
        "mix",
        "a number between two tensors",
        entry="mix",
        reference=mix,
        cases=cases(2, 0.3),
        gradient=gradient(2, 0.3),
    ),
    Part(
        "sigmoid",
        "a result that backward needs",
        sections=("sigmoid_forward", "sigmoid_backward"),
        entry="sigmoid",
        reference=sigmoid,
        cases=cases(1),
        gradient=gradient(1),
    ),
    Part(
        "silu",
        "an intermediate that backward needs",
        entry="silu",
        reference=silu,
        cases=cases(1),
        gradient=gradient(1),
    ),
    Part(
        "channel_scale",
        "one value for a whole channel",
        entry="channel_scale",
        reference=channel_scale,
        cases=[
            Case("odd sizes", images((3, 5, 17))),
            Case("one element", images((1, 1, 1))),
            Case("as many channels as columns", images((2, 6, 6))),
            Case("x permuted", images((4, 6, 10), layout="permuted")),
            Case("on a side stream", sizes=of_images(), stream="side"),
        ],
        gradient=Gradient(
            cases=[
                Case("odd sizes", images((2, 3, 2), "float64")),
                Case("as many channels as columns", images((2, 2, 2), "float64")),
                Case("float32", sizes=of_images()),
                Case("no images", images((0, 2, 3))),
            ],
            twice=True,
        ),
        refusals=[
            Refusal("gain for each column", [tensor((2, 3, 5)), tensor(5)], mentions=["gain", "shape"])
        ],
        accumulation=lambda x, gain: x.numel() // max(1, x.shape[1]),
    ),
    Part(
        "square",
        "a cotangent with any strides",
        entry="square",
        reference=square,
        cases=cases(1),
        gradient=gradient(1),
    ),
    Part(
        "scaled_tanh",
        "a function of a function",
        entry="scaled_tanh",
        reference=scaled_tanh,
        cases=cases(1, 0.7),
        gradient=gradient(1, 0.7),
    ),
]

PROFILE = Case("65,536 elements", [tensor(1 << 16), tensor(1 << 16), tensor(1 << 16)])

QUESTIONS = [
    Choice(
        "cause_muladd",
        "Autograd refused what Muladd.backward returned, because",
        {
            "a": "c was not saved in forward, so it cannot have a gradient;",
            "b": "the gradient of c is a constant, and a constant gradient has to be None;",
            "c": "forward has three arguments, and backward returns one value for each of them.",
        },
        think="Read the error of the broken backward again: which two things does it compare?",
        part="muladd",
    ),
    Choice(
        "cause_mix",
        "The argument weight of Mix.forward is a number. In what backward returns",
        {
            "a": "it has no place: only tensors are counted;",
            "b": "its place holds None, and that is its place among forward's arguments;",
            "c": "its place holds None, after the gradients of all tensors.",
        },
        think="How would autograd know which value belongs to which argument?",
        part="mix",
    ),
    Choice(
        "cause_sigmoid",
        "Keeping the result of Sigmoid.forward as an attribute of ctx was wrong, because",
        {
            "a": "autograd does not watch an attribute, so nothing notices that it was overwritten;",
            "b": "an attribute is a copy, made before the kernel had written the result;",
            "c": "attributes of ctx are gone when backward runs.",
        },
        think="Mix keeps its weight on ctx, and that is correct. What can change a tensor but not a number?",
        part="sigmoid",
    ),
    Choice(
        "cause_silu",
        "Silu.backward computed with",
        {
            "a": "the right gate, but an x that forward had overwritten;",
            "b": "a gate that autograd had replaced by zeros, since it is neither an input nor a result;",
            "c": "the result in place of the gate: a kernel overwrote it, and autograd sees no kernel's "
            "writes.",
        },
        think="Follow the memory of gate through the original lines of forward.",
        part="silu",
    ),
    Choice(
        "cause_channel_scale",
        "ChannelScale.backward has to add up the products of grad_out and x, because",
        {
            "a": "the loss is a sum;",
            "b": "each value of gain was used for many elements, and every use adds to its gradient;",
            "c": "a gradient has at most as many dimensions as the smallest argument of forward.",
        },
        think="Change one value of gain a little: which elements of the result move?",
        part="channel_scale",
    ),
    Choice(
        "cause_square",
        "Square.backward was right for some cotangents and wrong for others, because",
        {
            "a": "a kernel counts elements and knows nothing about the strides that lead to them;",
            "b": "a cotangent of ones makes every gradient the same;",
            "c": "save_for_backward keeps a tensor without its strides.",
        },
        think="Which part of a tensor reaches the kernel, and which part stays behind in the binding?",
        part="square",
    ),
    Choice(
        "cause_scaled_tanh",
        "The slope in the backward kernel of ScaledTanh, as it was, also passes",
        {
            "a": "gradcheck, because it compares the kernel with itself;",
            "b": "a test with a cotangent of ones, whatever scale is;",
            "c": "every test in which scale is 1.",
        },
        think="For which arguments does the factor that was missing change nothing?",
        part="scaled_tanh",
    ),
]
