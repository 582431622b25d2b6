"""Limits on the memory traffic of one call, as the simulated GPU counts it.

    EFFICIENCY = Efficiency(
        Case("512 rows of 256", [tensor((512, 256))]),
        [
            Limit("global_load_sectors", lambda x: x.numel() * x.element_size() // 32),
            Limit("bank_conflicts", 0, share=2, rule="Pad the tile, or swizzle it."),
        ],
    )

Several such values in a list are judged together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from grader.specification.naming import named_calls, of_kind
from grader.specification.vocabulary import Case, tensors_of

Most: TypeAlias = "Callable[..., float] | float"
Stage: TypeAlias = Literal["forward", "backward"]
Cotangent: TypeAlias = Literal["random", "expanded", "transposed"]


OUTPUT, COTANGENT, GRADIENT_OF = "the output", "grad_out", "grad_"  # tensors that are no arguments


@dataclass(frozen=True)
class Metric:
    """What is counted, over all launches of the submission's own kernels.

    ``field`` is added up over the source lines that access ``space`` in one of the ways in ``accesses``;
    without a space it belongs to launches as a whole, or to the call where ``of_call`` says so. Where
    ``of_kernel`` says so, it is no sum: it is that of the kernel that needs most. ``unit`` and ``doing`` say
    it: 3 ``sectors`` ``read from global memory``.
    """

    unit: str
    doing: str
    field: str
    space: Literal["global", "shared"] | None = None
    accesses: tuple[str, ...] = ()
    plural: str = ""  # where it takes more than an s
    of_call: bool = False
    of_kernel: bool = False


_IN = {"load": "in reads of", "store": "in writes to", "atomic": "in updates of"}
_DOING = {"load": "read from", "store": "written to", "atomic": "updated in"}


def _per_access(space: Literal["global", "shared"], unit: str, field: str) -> dict[str, Metric]:
    """``global_load_sectors``, ``global_store_sectors``, ``global_atomic_sectors``; their sum is
    ``global_sectors``.
    """
    found = {
        f"{space}_{access}_{field}": Metric(unit, f"{doing} {space} memory", field, space, (access,))
        for access, doing in _DOING.items()
    }
    return found | {f"{space}_{field}": Metric(unit, f"of {space} memory", field, space, tuple(_DOING))}


def _idle_lanes(space: Literal["global", "shared"]) -> dict[str, Metric]:
    """``global_load_idle_lanes`` and so on: lanes that had no part in a request of their warp."""
    return {
        f"{space}_{access}_idle_lanes": Metric(
            "idle lane", f"{_IN[access]} {space} memory", "idle_lanes", space, (access,)
        )
        for access in _IN
    }


METRICS: dict[str, Metric] = {
    **_per_access("global", "request", "requests"),
    **_per_access("global", "sector", "sectors"),
    **_per_access("shared", "request", "requests"),
    **_per_access("shared", "wavefront", "wavefronts"),
    **_idle_lanes("global"),
    **_idle_lanes("shared"),
    "bank_conflicts": Metric("bank conflict", "", "conflicts", "shared", tuple(_DOING)),
    "barriers": Metric("barrier", "counted for each warp", "barriers"),
    "tensor_multiply_adds": Metric("multiply-add", "on tensor cores", "tensor_multiply_adds"),
    "launches": Metric("launch", "", "launches", plural="launches"),
    "allocations": Metric("allocation", "of device memory", "allocations", of_call=True),
    "peak_bytes": Metric("byte", "of device memory held at once", "peak_bytes", of_call=True),
    "library_calls": Metric("library call", "", "library_calls", of_call=True),
    # By block size and shared memory, which are known everywhere.
    "empty_warp_slots": Metric(
        "empty warp slot", "of a multiprocessor (registers aside)", "empty_warp_slots", of_kernel=True
    ),
    "shared_bytes": Metric("byte", "of shared memory per block", "shared_bytes", of_kernel=True),
    # ptxas knows these; where there is no nvcc, their limits are left out.
    "registers": Metric("register", "per thread", "registers", of_kernel=True),
    "spilled_bytes": Metric("byte", "per thread spilled to memory", "spilled_bytes", of_kernel=True),
}


@dataclass(frozen=True)
class Limit:
    """At most ``most`` of ``metric``, a name in :data:`METRICS`; or at least ``least`` of it.

    That is a number, or a function of the arguments of ``reference``, which get the tensors at the case's
    own dtypes. ``share`` is the limit's part of the points, relative to those of the others. ``rule`` is a
    sentence that is said when the limit is exceeded: what to do about it, not how. A limit on ``registers``
    or ``spilled_bytes`` is judged only where nvcc is installed. ``of`` counts only the
    accesses to one tensor in global memory: an argument (``"x"``), ``"the output"``, or of a backward
    ``"grad_out"`` and ``"grad_x"``. The verdict then says how many times that tensor is read or written.
    """

    metric: str
    most: Most | None = None
    stage: Stage = "forward"
    share: float = 1.0
    rule: str = ""
    of: str = ""
    least: Most | None = None

    @property
    def bound(self) -> Most:
        """The one of ``most`` and ``least`` that is given."""
        found = self.most if self.least is None else self.least
        assert found is not None, "checked when the spec was loaded"
        return found


@dataclass(frozen=True)
class Efficiency:
    """One case, whose answer has to be right, and the limits on what it may cost.

    The case should be so large that edges do not weigh, and so small that a simulated GPU is done within a
    second: it executes some million accesses in that time. Backward gets a cotangent of the kind
    ``cotangent``: ``expanded`` is one number with strides of 0, as after ``sum()``, and ``transposed`` has
    the last two dimensions exchanged in memory, so that a backward which makes it dense allocates.
    Limits that only tiles of a certain size keep hold for devices whose blocks can have ``shared_bytes`` of
    shared memory; on a smaller one, which CUSIMT_DEVICE may name, they do not count.
    """

    case: Case
    limits: Sequence[Limit]
    cotangent: Cotangent = "random"
    shared_bytes: int = 0


def checked(value: Any, parameters: tuple[str, ...]) -> tuple[Efficiency, ...]:
    """What ``EFFICIENCY`` holds as a tuple, with named arguments; raises TypeError or ValueError."""
    given = value if isinstance(value, list | tuple) else [value]
    return tuple(_checked_one(each, parameters) for each in given)


def _checked_one(value: Any, parameters: tuple[str, ...]) -> Efficiency:
    efficiency: Efficiency = of_kind(Efficiency, value, "EFFICIENCY")
    case: Case = of_kind(Case, efficiency.case, "EFFICIENCY")
    if not efficiency.limits:
        raise ValueError(f"EFFICIENCY, {case.name!r}, has no limits")
    if efficiency.cotangent not in get_args(Cotangent):
        kinds = ", ".join(get_args(Cotangent))
        raise ValueError(
            f"EFFICIENCY, {case.name!r}: the cotangent {efficiency.cotangent!r} is none of {kinds}"
        )
    (named,) = named_calls(Case, "EFFICIENCY", [case], parameters)
    for limit in efficiency.limits:
        _check_limit(of_kind(Limit, limit, f"EFFICIENCY, {case.name!r}"), named)
    return replace(efficiency, case=named)


def _check_limit(limit: Limit, case: Case) -> None:
    if limit.metric not in METRICS:
        raise ValueError(f"EFFICIENCY limits {limit.metric!r}, which is none of {', '.join(METRICS)}")
    if limit.stage not in ("forward", "backward"):
        raise ValueError(f"EFFICIENCY, {limit.metric}: the stage is {limit.stage!r}, not forward or backward")
    if (limit.most is None) == (limit.least is None):
        raise ValueError(f"EFFICIENCY, {limit.metric}: a limit has either most or least")
    if not callable(limit.bound) and not isinstance(limit.bound, int | float):
        which = "most" if limit.least is None else "least"
        raise TypeError(f"EFFICIENCY, {limit.metric}: {which} is neither a number nor a function")
    if not limit.share > 0:
        raise ValueError(
            f"EFFICIENCY, {limit.metric}: share is {limit.share}, but every limit earns something"
        )
    if limit.of:
        _check_tensor(limit, case)


def _check_tensor(limit: Limit, case: Case) -> None:
    """Accesses are counted for tensors in device memory: a number has none, and its gradient neither."""
    tensors = list(tensors_of(case.args))
    known = [*(str(each.name) for each in tensors), OUTPUT]
    if limit.stage == "backward":
        known += [COTANGENT, *(f"{GRADIENT_OF}{each.name}" for each in tensors if each.floating)]
    if limit.of not in known:
        raise ValueError(
            f"EFFICIENCY, {case.name!r}, {limit.metric}: of={limit.of!r} is no tensor of this call. Its "
            f"tensors are {', '.join(known)}"
        )
    if METRICS[limit.metric].space != "global":
        raise ValueError(f"EFFICIENCY, {limit.metric}: of={limit.of!r}, but tensors are in global memory")
