"""The worker's part of the check ``dispatcher``: PyTorch's own tests, torch.compile and torch.func.

The first parameter of every function is the learner's module. Tensors come as the parent sent them: those
that require grad are the ones whose gradients it asks for.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch._library.custom_ops import OPDEFS
from torch._library.simple_registry import singleton
from torch._subclasses.fake_tensor import FakeTensorMode


def signatures(_: Any, operators: list[str]) -> list[str]:
    """The argument names of each operator, as ``(x, y)``; ``""`` where there is none of that name."""
    return [_signature(name) for name in operators]


def has_derivative(_: Any, name: str) -> bool:
    """Whether a derivative is registered for the operator, or one follows from what it is made of.

    Not what its result says: PyTorch lets that require grad in order to warn in backward. For an operator
    that custom_op or triton_op made, PyTorch registers a function that raises until the derivative is given.
    """
    made = OPDEFS.get(name)
    if made is not None and made._backward_fn is None:
        return False
    keys = ("Autograd", "AutogradCUDA", "CompositeImplicitAutograd")
    return any(torch._C._dispatch_has_kernel_for_dispatch_key(name, key) for key in keys)


def opcheck(submission: Any, name: str, test: str, *args: Any) -> list[str]:
    """The type and message of what one of opcheck's tests raises, and the innermost place in the learner's
    files that it passed, as ``FILE:LINE``; nothing when it passes.
    """
    result = torch.library.opcheck(_operator(name), args, test_utils=test, raise_exception=False)[test]
    if isinstance(result, str):
        return []
    files = Path(getattr(submission, "__file__", "")).parent
    return [f"{type(result).__name__}: {result}", _place(result, files)]


def _place(error: BaseException, files: Path) -> str:
    frames = reversed(traceback.extract_tb(error.__traceback__))
    return next((f"{Path(each.filename).name}:{each.lineno}" for each in frames
                 if Path(each.filename).parent == files), "")  # fmt: skip


def fake_results(_: Any, name: str, *args: Any) -> list[int]:
    """How many values the fake of an operator returns, and how many its schema has: the same number where no
    fake is registered, or it raises.
    """
    needed = _operator(name)._schema.returns
    fake = singleton.find(name).fake_impl.kernel
    if fake is None or any(not isinstance(each.type, torch.TensorType) for each in needed):
        return [len(needed), len(needed)]
    with FakeTensorMode() as mode:
        try:
            given = fake(*(mode.from_tensor(each) if isinstance(each, Tensor) else each for each in args))
        except Exception:  # opcheck says which
            return [len(needed), len(needed)]
    return [len(given) if isinstance(given, tuple | list) else int(given is not None), len(needed)]


def compiled(
    submission: Any,
    entry: str,
    operator: str,
    compiler: str,
    calls: list[list[Any]],
    cotangents: list[Any],
) -> list[Any]:
    """Compile one function, call it with each of `calls` in turn, and differentiate each.

    The function is ``entry`` of the submission, or ``operator`` where one is named. Returns the number of
    graphs that were compiled, then for each call its results and the gradients of its arguments that require
    grad.
    """
    import torch._dynamo
    from torch._dynamo.backends.registry import lookup_backend

    if compiler == "inductor":
        import torch._inductor.config

        torch._inductor.config.compile_threads = 1  # a worker starts no pool of processes
    torch._dynamo.reset()
    function = _operator(operator) if operator else getattr(submission, entry)
    # A call may compile its graph twice, where it learns on the way that a float is a constant.
    capturing: set[int] = set()

    def counting(graph: Any, inputs: Any) -> Any:
        capturing.add(number)
        return lookup_backend(compiler)(graph, inputs)

    optimized = torch.compile(lambda *args: function(*args), fullgraph=True, dynamic=True, backend=counting)
    found: list[Any] = []
    for number, (args, given) in enumerate(zip(calls, cotangents, strict=True)):  # noqa: B007
        results = _tensors(optimized(*args))
        found += [*(each.detach() for each in results), *_gradients(results, args, given)]
    return [len(capturing), *found]


def mapped(submission: Any, entry: str, in_dims: list[int | None], *args: Any) -> Any:
    """The entry under vmap."""
    return torch.func.vmap(getattr(submission, entry), tuple(in_dims))(*args)


def vjp(submission: Any, entry: str, wanted: list[int], cotangents: list[Tensor], *args: Any) -> Any:
    """The gradients by torch.func of one call, for the arguments at the positions ``wanted``."""
    return _vjp(getattr(submission, entry), wanted, cotangents, args)


def mapped_vjp(
    submission: Any, entry: str, in_dims: list[int | None], wanted: list[int], cotangents: list[Tensor],
    *args: Any,
) -> Any:  # fmt: skip
    """The gradients of each call by itself, under vmap; a cotangent has one slice for each, along 0."""

    def each(given: list[Tensor], *slices: Any) -> Any:
        return _vjp(getattr(submission, entry), wanted, given, slices)

    return torch.func.vmap(each, (0, *in_dims))(cotangents, *args)


def _vjp(function: Any, wanted: Sequence[int], cotangents: Sequence[Tensor], args: Sequence[Any]) -> Any:
    def of_wanted(*primals: Any) -> Any:
        full = list(args)
        for position, primal in zip(wanted, primals, strict=True):
            full[position] = primal
        return function(*full)

    pull_back = torch.func.vjp(of_wanted, *(args[position] for position in wanted))[1]
    return pull_back(cotangents[0] if len(cotangents) == 1 else tuple(cotangents))


def _gradients(results: Sequence[Tensor], args: Sequence[Any], cotangents: Sequence[Tensor]) -> list[Any]:
    leaves = [each for each in args if isinstance(each, Tensor) and each.requires_grad]
    reached = [(out, grad) for out, grad in zip(results, cotangents, strict=True) if out.requires_grad]
    if not reached:
        return [None for _ in leaves]
    outputs, given = zip(*reached, strict=True)
    return list(torch.autograd.grad(outputs, leaves, given, allow_unused=True))


def _operator(name: str) -> Any:
    namespace, _, operator = name.partition("::")
    return getattr(getattr(torch.ops, namespace), operator).default


def _signature(name: str) -> str:
    try:
        arguments = _operator(name)._schema.arguments
    except AttributeError:
        return ""
    return f"({', '.join(each.name for each in arguments)})"


def _tensors(result: Any) -> list[Tensor]:
    several = result if isinstance(result, tuple | list) else (result,)
    return [each for each in several if isinstance(each, Tensor)]
