"""A session without a worker: the checks' side of the interface, played by plain torch on the CPU.

``FakeSession(function)`` calls `function` with CPU tensors where the real one would send them to a worker.
Keyword arguments make it misbehave in one way each, so that every check can be shown the fault it is there
to find.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import torch

from grader.checks.bench import Bench
from grader.course.catalog import BuildFacts, Exercise, Section
from grader.run.inside.graphs import Graph, differentiate_twice
from grader.run.values import Output, RemoteError, Reply, TensorArg, Trace, TracedLaunch
from grader.specification import Case, Gradient, Refusal, Spec, Speed

LAUNCH = TracedLaunch("muladd_kernel<float>", (1, 1, 1), (256, 1, 1), file="kernel.cu", line=12)


def _region(autocast: str | None) -> contextlib.AbstractContextManager[object]:
    """As the worker makes it, on the device that there is here."""
    return torch.autocast("cpu", getattr(torch, autocast)) if autocast else contextlib.nullcontext()


class FakeSession:
    """Records its requests in ``log``; ``edit_reply`` and ``edit_trace`` change what comes back."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        edit_reply: Callable[[Reply], Reply] = lambda reply: reply,
        edit_trace: Callable[[Trace, str, str], Trace] = lambda trace, stage, schedule: trace,
        raises: Callable[[str, int], BaseException | None] = lambda stage, number: None,
        kernels: Sequence[str] = (LAUNCH.kernel,),
        unchecked: Sequence[int] = (),
        library_calls: Sequence[str] = (),
        unchecked_calls: Sequence[int] = (),
    ) -> None:
        self.function = function
        self.late_ms = 0.0
        self.edit_reply = edit_reply
        self.edit_trace = edit_trace
        self.raises = raises
        self.kernels = kernels  # that forward launches, and backward
        self.unchecked = unchecked  # launches, from 1, whose error is dropped
        self.library_calls = library_calls
        self.unchecked_calls = unchecked_calls  # from 1, whose status is dropped
        self.log: list[str] = []
        self.modes: list[tuple[str, bool]] = []  # schedule and determinism of every call
        self.graphs: dict[int, tuple[list[torch.Tensor], list[tuple[str, torch.Tensor]]]] = {}
        self.released: list[int] = []
        self._sent: list[TensorArg] = []
        self._received: list[torch.Tensor] = []

    def call(
        self, entry: str, args: Sequence[Any], *, stream: str = "default", device: int = 0,
        grad: bool = False, trace: bool = True, schedule: str = "forward", count: bool = False,
        seconds: float | None = None, in_place: Sequence[str] = (), autocast: str | None = None,
        deterministic: bool = False, refuse_launch: int = 0, refuse_library_call: int = 0,
    ) -> Reply:  # fmt: skip
        self._begin("call")
        self.modes.append((schedule, deterministic))
        self._sent, self._received = [], []
        with torch.enable_grad():  # also within a stand-in's forward
            arguments = [self._receive(arg, in_place) for arg in args]
        try:
            with torch.set_grad_enabled(grad), _region(autocast):
                result = self.function(*arguments)
        except Exception as problem:
            error = RemoteError(type(problem).__name__, str(problem), "op.py:7")
            return self._finish(Reply(error=error), "call", schedule, stream)
        if refuse_launch or refuse_library_call:
            return self._refused(refuse_launch, refuse_library_call, schedule)
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        outputs = tuple(self._output(each) for each in results)
        handle = self._keep(results) if grad else None
        returned = "tuple" if isinstance(result, (tuple, list)) else "value"
        return self._finish(Reply(outputs, returned, handle), "call", schedule, stream)

    def backward(
        self, handle: int, cotangents: Sequence[torch.Tensor | None], *, trace: bool = True,
        count: bool = False, overwrite: str = "", twice: Sequence[torch.Tensor] = (),
        seconds: float | None = None, refuse_launch: int = 0, refuse_library_call: int = 0,
    ) -> Reply:  # fmt: skip
        self._begin("backward")
        if refuse_launch or refuse_library_call:
            return self._refused(refuse_launch, refuse_library_call, "forward")
        outputs, leaves = self.graphs[handle]
        if twice:
            return self._twice(outputs, leaves, cotangents, twice)
        if overwrite:
            self._overwrite(overwrite, outputs)
        self._sent = [TensorArg(cot) for cot in cotangents if cot is not None]
        cotangents = [cot if cot is None else _copy(cot) for cot in cotangents]
        self._received = [cot for cot in cotangents if cot is not None]
        pairs = [(out, cot) for out, cot in zip(outputs, cotangents, strict=True) if out.requires_grad]
        given = [(_undefined(out), torch.ones_like(out)) if cot is None else (out, cot) for out, cot in pairs]
        try:
            found = torch.autograd.grad(
                [out for out, _ in given], [leaf for _, leaf in leaves], [cot for _, cot in given],
                retain_graph=True, allow_unused=True,
            )  # fmt: skip
        except Exception as problem:
            error = RemoteError(type(problem).__name__, str(problem), "op.py:20")
            return self._finish(Reply(error=error), "backward", "forward", "default")
        named = [
            replace(self._output(each), name=name) for (name, _), each in zip(leaves, found, strict=True)
        ]
        return self._finish(Reply(tuple(named)), "backward", "forward", "default")

    def _twice(self, outputs: Any, leaves: Any, cotangents: Any, twice: Sequence[torch.Tensor]) -> Reply:
        graph = Graph([], outputs, None, "forward")
        try:
            found = differentiate_twice(graph, cotangents, [leaf for _, leaf in leaves], twice)
        except Exception as problem:
            error = RemoteError(type(problem).__name__, str(problem), "op.py:20")
            return self._finish(Reply(error=error), "backward", "forward", "default")
        names = [name for name, _ in leaves] + [f"cotangent {number}" for number in range(len(cotangents))]
        named = [replace(self._output(each), name=name) for name, each in zip(names, found, strict=True)]
        return self._finish(Reply(tuple(named)), "backward", "forward", "default")

    def _overwrite(self, name: str, outputs: Sequence[torch.Tensor]) -> None:
        found = {f"output {number}": output for number, output in enumerate(outputs)}
        found |= {sent.name: got for sent, got in zip(self._sent, self._received, strict=True)}
        with torch.no_grad():
            found[name].add_(1)

    def run_inside(
        self, check: str, args: Sequence[Any], *, trace: bool = False, seconds: float | None = None
    ) -> Reply:
        raise AssertionError(f"a fake submission runs nothing of the grader's: {check}")

    def release(self, handle: int) -> None:
        self.released.append(handle)
        self.graphs.pop(handle, None)

    def inputs(self) -> tuple[torch.Tensor, ...]:
        return tuple(each.detach() for each in self._received)

    def changed_inputs(self) -> tuple[str, ...]:
        pairs = zip(self._sent, self._received, strict=True)
        return tuple(sent.name for sent, got in pairs if not torch.equal(_bits(sent.tensor), _bits(got)))

    def _begin(self, stage: str) -> None:
        problem = self.raises(stage, len(self.log))
        self.log.append(stage)
        if problem is not None:
            raise problem

    def _receive(self, arg: Any, in_place: Sequence[str] = ()) -> Any:
        if isinstance(arg, list):
            return [self._receive(each, in_place) for each in arg]
        if not isinstance(arg, TensorArg):
            return arg
        copy = arg.tensor.clone(memory_format=torch.preserve_format).requires_grad_(arg.requires_grad)
        self._sent.append(arg)
        self._received.append(copy)
        return copy.clone() if arg.requires_grad and arg.name.partition("[")[0] in in_place else copy

    def _output(self, value: Any) -> Output:
        if value is None:
            return Output("none")
        if not isinstance(value, torch.Tensor):
            return Output("other", type=type(value).__name__)
        device = next((arg.device for arg in self._sent), "cuda:0")
        kind = "numpy" if device == "numpy" else "tensor"
        dense = value.detach().clone(memory_format=torch.contiguous_format)
        return Output(kind, dense, "cpu" if kind == "numpy" else device, requires_grad=value.requires_grad)

    def _keep(self, results: list[Any]) -> int | None:
        if not any(isinstance(each, torch.Tensor) and each.requires_grad for each in results):
            return None
        leaves = [
            (sent.name, got)
            for sent, got in zip(self._sent, self._received, strict=True)
            if sent.requires_grad
        ]
        self.graphs[len(self.log)] = (results, leaves)
        return len(self.log)

    def _launches(self, **more: Any) -> tuple[TracedLaunch, ...]:
        return tuple(replace(LAUNCH, kernel=kernel, **more) for kernel in self.kernels)

    def _api_calls(self, refused: int = 0) -> tuple[dict[str, Any], ...]:
        """A call by the name of its function only prepares work, as on simt."""
        return tuple(
            {
                "call": name,
                "kind": "library" if " " in name else "setup",
                "error": 701 * (number == refused),
            }
            for number, name in enumerate(self.library_calls, start=1)
        )

    def _refused(self, launch: int, library_call: int, schedule: str) -> Reply:
        unnoticed = launch in self.unchecked or library_call in self.unchecked_calls
        error = None if unnoticed else RemoteError("RuntimeError", "CUDA error", "op.py:7")
        launches = list(self._launches())
        if launch:
            launches[launch - 1] = replace(launches[launch - 1], error=701)
        trace = Trace(
            launches=tuple(launches), launches_total=len(launches), api_calls=self._api_calls(library_call)
        )
        return self.edit_reply(Reply(error=error, trace=self.edit_trace(trace, "refused", schedule)))

    def _finish(self, reply: Reply, stage: str, schedule: str, stream: str) -> Reply:
        sizes = [each.tensor.nbytes if each.tensor is not None else 0 for each in reply.outputs]
        writers: tuple[Mapping[str, int], ...] = tuple({"kernel": size} for size in sizes)
        current = 7 if stream == "side" else 0
        launches = self._launches(stream=current) if any(sizes) else ()
        trace = Trace(
            launches=launches,
            launches_total=len(launches),
            api_calls=self._api_calls(),
            operators=("aten::empty_like",),
            writers=writers,
            stream=current,
        )
        return self.edit_reply(replace(reply, trace=self.edit_trace(trace, stage, schedule)))


def _undefined(output: torch.Tensor) -> torch.Tensor:
    """The output behind a node that hands an undefined gradient down, as autograd itself does."""
    with torch.enable_grad():  # gradcheck calls from inside a backward, where grad mode is off
        return torch._C._functions.UndefinedGrad()(output)


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    """Another storage with the same geometry."""
    storage = tensor.untyped_storage().clone()
    return torch.empty(0, dtype=tensor.dtype).set_(
        storage, tensor.storage_offset(), tensor.shape, tensor.stride()
    )


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)


def fake_exercise(root: Path = Path("/course/exercises/03_muladd"), **changes: Any) -> Exercise:
    facts = dict[str, Any](
        slug="03_muladd", number=3, root=root, title="Fused multiply-add", kind="write", requires=(),
        minutes=40, core=True, version=1, edit=("kernel.cu", "op.py"), given=(),
        build=BuildFacts("muladd", "torch_library", ("kernel.cu",), ()),
        sections={"index": Section("index", "kernel.cu", "compute the index", 2)},
        scores={"correctness": 40, "gradient": 20, "safety": 10, "device_work": 10, "performance": 20},
        library=frozenset(), copies=False,
    )  # fmt: skip
    return Exercise(**{**facts, **changes})


def no_worker() -> NoReturn:
    raise AssertionError("a fake submission starts no further worker")


def fake_bench(
    session: FakeSession,
    reference: Callable[..., Any],
    cases: Sequence[Case],
    *,
    parameters: Sequence[str] = ("a", "b", "c"),
    refusals: Sequence[Refusal] = (),
    gradient: Gradient | None = None,
    speed: Speed | None = None,
    backend: str = "simt",
    exercise: Exercise | None = None,
    reload: Callable[[], None] = lambda: None,
    **functions: Any,
) -> Bench:
    spec = Spec(
        Path("spec.py"), "muladd", reference, tuple(parameters), tuple(cases), tuple(refusals), gradient,
        speed, **functions,
    )  # fmt: skip
    files = Path("/course/exercises/03_muladd")
    return Bench(
        exercise or fake_exercise(), spec, backend, 1234, session, files, reload, no_worker, Path("/scratch")
    )
