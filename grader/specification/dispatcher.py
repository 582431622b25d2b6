"""What an operator must be registered for, and how that is tested::

DISPATCHER = Dispatcher(
    operators=[
        Operator("muladd::muladd", [Case("odd sizes", [tensor((5, 3)), tensor((5, 3)), 2.0])]),
        Operator(
            "muladd::muladd_backward",
            [Case("odd sizes", [tensor((5, 3)), tensor((5, 3)), tensor((5, 3))])],
            arguments=("grad", "a", "b"),
            differentiable=False,
        ),
    ],
    compiled=[Case("5 rows", [...]), Case("7 rows", [...])],
    mapped=[Mapped("a alone", [tensor((4, 5, 3)), tensor((5, 3)), 2.0], in_dims=(0, None, None))],
)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.specification.naming import named_arguments, named_calls, of_kind
from grader.specification.vocabulary import Argument, Case, TensorSpec

SMALLEST_BATCH = 3  # fewer cannot be told from a loop


@dataclass(frozen=True)
class Operator:
    """One registered operator, and the calls by which ``torch.library.opcheck`` tests it.

    ``name`` is ``namespace::operator``. ``arguments`` are the names that its schema has to give to its
    arguments, in this order (default: those of ``reference``). A ``differentiable`` operator must be so by
    itself: its floating tensors require grad in every call.
    """

    name: str
    cases: Sequence[Case]
    arguments: tuple[str, ...] = ()
    differentiable: bool = True


@dataclass(frozen=True)
class Mapped:
    """One call under ``torch.func.vmap``.

    ``args`` are those of the call as a whole. ``in_dims`` gives for each of them the dimension that is
    mapped over, or None; those dimensions have one size, at least 3.
    """

    name: str
    args: Sequence[Argument]
    in_dims: tuple[int | None, ...]

    @property
    def size(self) -> int:
        """How many calls the mapped call stands for."""
        sizes = [
            arg.shape[dim]
            for arg, dim in zip(self.args, self.in_dims, strict=True)
            if isinstance(arg, TensorSpec) and dim is not None
        ]
        return sizes[0]


@dataclass(frozen=True)
class Dispatcher:
    """The check ``dispatcher``.

    ``operators``: the first computes what ``ENTRY`` and ``reference`` do, with the same arguments; the others
    serve it. ``compiled`` are calls of one function under ``torch.compile(fullgraph=True, dynamic=True)``,
    for all of which one graph must do: two sizes that need not be equal must differ in every case, and none
    is 0 or 1, which the compiler treats apart. ``mapped`` are calls under vmap, whose gradients are asked for
    too; without them, no rule for vmap is needed.
    """

    operators: Sequence[Operator]
    compiled: Sequence[Case]
    mapped: Sequence[Mapped] = ()


def checked(value: Dispatcher | None, parameters: tuple[str, ...]) -> Dispatcher | None:
    """``DISPATCHER`` with every argument named; raises TypeError or ValueError for what cannot be meant."""
    if value is None:
        return None
    given: Dispatcher = of_kind(Dispatcher, value, "DISPATCHER")
    if not given.operators or not given.compiled:
        raise ValueError("DISPATCHER needs operators and compiled")
    return Dispatcher(
        [_operator(each, parameters) for each in given.operators],
        named_calls(Case, "DISPATCHER.compiled", given.compiled, parameters),
        [_mapped(each, parameters) for each in given.mapped],
    )


def _operator(given: Operator, parameters: tuple[str, ...]) -> Operator:
    of_kind(Operator, given, "DISPATCHER.operators")
    if given.name.count("::") != 1:
        raise ValueError(f'DISPATCHER: operator {given.name!r} is not written "namespace::name"')
    if not given.cases:
        raise ValueError(f"DISPATCHER: {given.name} has no cases")
    names = given.arguments or parameters
    cases = named_calls(Case, f"DISPATCHER, {given.name}", given.cases, names)
    return replace(given, cases=cases, arguments=tuple(names))


def _mapped(given: Mapped, parameters: tuple[str, ...]) -> Mapped:
    where = f"DISPATCHER.mapped, {of_kind(Mapped, given, 'DISPATCHER.mapped').name!r}"
    if len(given.in_dims) != len(given.args):
        raise ValueError(f"{where}: {len(given.in_dims)} in_dims for {len(given.args)} arguments")
    sizes = set()
    for arg, dim in zip(given.args, given.in_dims, strict=True):
        if dim is not None:
            if not isinstance(arg, TensorSpec) or not -len(arg.shape) <= dim < len(arg.shape):
                raise ValueError(f"{where}: there is no dimension {dim} to be mapped over")
            sizes.add(arg.shape[dim])
    if len(sizes) != 1 or min(sizes) < SMALLEST_BATCH:
        raise ValueError(f"{where}: the mapped dimensions have one size, at least {SMALLEST_BATCH}")
    return replace(given, args=named_arguments(given.args, parameters, where))
