"""Runs the programs of a launch, in place of `triton.runtime.interpreter.GridExecutor`.

That one copies the tensors to the host first, and back at the end. This one hands out their addresses.
"""

from __future__ import annotations

import inspect
import operator
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

import numpy

from cusimt.triton import failures, specialisations
from cusimt.triton.arguments import constants_of, require_values
from cusimt.triton.memory import Launch, Memory, driver

_WARPS = 4  # of a program, unless the launch says otherwise
_LARGEST = (2**31 - 1, 65535, 65535)
_REWRITTEN = "interpreter_semantic"  # what the assignments of a rewritten kernel call
_LIBRARIES = tuple(f"{os.sep}{name}{os.sep}" for name in ("triton", "torch"))  # this package, too


class Running:
    """The launch whose programs run: its memory, and the file with their code."""

    def __init__(self, memory: Memory, source: str) -> None:
        self.memory = memory
        self.source = source

    def line(self) -> int:
        """The line of the kernel that is running, or of the function in its file that it called."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.source:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0


current: Running | None = None
trying = False  # whether the launch is one of those by which autotuning compares configurations


def running() -> Running:
    """The launch that makes the access."""
    if current is None:
        raise RuntimeError("a program accesses memory outside of a launch")
    return current


def run(executor: Any, *arguments: Any, **keywords: Any) -> None:
    """`GridExecutor.__call__`: all programs of the grid, then what they did as one launch."""
    warps = int(keywords.get("num_warps", _WARPS))
    options = keywords
    names = inspect.getfullargspec(executor.fn).args
    keywords = {name: value for name, value in keywords.items() if name in names}
    bound = inspect.getcallargs(executor.fn, *arguments, **keywords)
    if without_memory(bound.values()):
        return
    require_values(bound)
    tensors = list(_tensors(bound.values()))
    _require_device(bound)
    for hook in executor.pre_run_hooks:
        hook(*arguments, **keywords)
    given = executor.grid(dict(bound)) if callable(executor.grid) else executor.grid
    grid = _grid(given)
    if 0 in grid:
        return  # as Triton's launcher, which starts nothing then
    launch = _launch(executor, grid, warps, tensors)
    specialisation = specialisations.text_of(executor, arguments, options)
    with failures.remembered():
        _run_programs(executor, bound, launch)
    specialisations.ran(specialisation)


def without_memory(arguments: Iterable[Any]) -> bool:
    """Whether PyTorch only wants to know shapes: then a launch does nothing."""
    from torch._subclasses.fake_tensor import FakeTensor

    return any(isinstance(each, FakeTensor) for each in _tensors(arguments))


def _run_programs(executor: Any, bound: dict[str, Any], launch: Launch) -> None:
    from triton.runtime import interpreter

    global current
    memory = Memory(launch)
    scope = interpreter._patch_lang(executor.fn)
    constants = constants_of(executor.fn)
    try:
        values = {name: value if name in constants else _argument(value) for name, value in bound.items()}
        builder = interpreter.interpreter_builder
        builder.set_grid_dim(*launch.grid)
        before, current = current, Running(memory, launch.source)
        try:
            with numpy.errstate(all="ignore"):
                for index in _indices(memory, launch.grid):
                    builder.set_grid_idx(*index)
                    executor.fn(**values)
        finally:
            current = before
        _raise_for(memory.launch())
    finally:
        scope.restore()
        memory.close()


def _argument(value: Any) -> Any:
    """What the kernel sees of an argument: of a Python float a number of 32 bits, as on a GPU."""
    from triton import language as tl
    from triton.runtime import interpreter

    if isinstance(value, float):
        handle = interpreter.TensorHandle(numpy.array([value], dtype=numpy.float32), tl.float32)
        return tl.tensor(handle, tl.float32)
    return interpreter._implicit_cvt(value)


def _launch(executor: Any, grid: tuple[int, int, int], warps: int, tensors: list[Any]) -> Launch:
    import torch

    _raise_for(driver().simt_sticky_error())
    stream = int(driver().simt_current_stream(torch.cuda.current_device()) or 0)
    file, line = _caller()
    return Launch(
        grid=grid, warps=warps, stream=stream, kernel=executor.fn.__name__,
        source=executor.fn.__code__.co_filename, file=file, line=line,
        pointers=[each.data_ptr() for each in tensors], is_trial=trying,
    )  # fmt: skip


def _indices(memory: Memory, grid: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    count = grid[0] * grid[1] * grid[2]
    while (number := memory.next()) < count:
        yield number % grid[0], number // grid[0] % grid[1], number // (grid[0] * grid[1])


def _grid(given: Any) -> tuple[int, int, int]:
    """Three extents. Raises what Triton's launcher raises for others."""
    extents = tuple(operator.index(each) for each in given)
    if not 1 <= len(extents) <= len(_LARGEST):
        raise ValueError(f"a grid has one to three dimensions, and this one has {len(extents)}")
    x, y, z = (*extents, 1, 1)[:3]
    if any(not 0 <= extent <= most for extent, most in zip((x, y, z), _LARGEST, strict=True)):
        raise RuntimeError("Triton Error [CUDA]: invalid argument")
    return x, y, z


def _tensors(values: Any) -> Iterator[Any]:
    """Those among the arguments of a kernel, also in tuples and descriptors."""
    for value in values:
        if isinstance(value, tuple):
            yield from _tensors(value)
        elif hasattr(value, "data_ptr"):
            yield getattr(value, "base", value)
        elif hasattr(value, "block_shape"):
            yield value.base


def _require_device(bound: dict[str, Any]) -> None:
    """Raises what Triton's launcher raises for a tensor on the host."""
    for position, value in enumerate(bound.values()):
        if any(not each.is_cuda for each in _tensors([value])):
            what = f"Pointer argument (at {position}) cannot be accessed from Triton (cpu tensor?)"
            raise ValueError(what)


def _caller() -> tuple[str, int]:
    """Where the launch was written: the innermost frame outside of Triton, PyTorch and this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith("<") and not any(part in file for part in _LIBRARIES):
            return file, frame.f_lineno
        frame = frame.f_back
    return "", 0


def _raise_for(error: int) -> None:
    if error:
        raise RuntimeError(f"Triton Error [CUDA]: {driver().simt_error_string(error).decode()}")


def _truth(tile: Any) -> bool:
    """Triton's own functions ask tiles whether they are there, and are answered as before."""
    values = tile.handle.data
    if values.size > 1:
        if str(sys._getframe(1).f_globals.get("__name__")).partition(".")[0] == "triton":
            return True
        raise ValueError(
            f"a tile of {values.size} elements is neither true nor false: between tiles write &, | and ~ in "
            "place of `and`, `or` and `not`, and choose between values by tl.where"
        )
    return bool(values.item())


def indexable(original: Callable[..., Any]) -> Callable[..., Any]:
    """`_patch_lang_tensor`. Its scalars are arrays of one element, of which newer numpy makes no integers.

    All its tiles are true, so that `and` between two of them would be the second; a compiled kernel has `&`.
    """

    def patch(tensor: Any, scope: Any) -> None:
        original(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))
        scope.set_attr(tensor, "__bool__", _truth)

    return patch


def patched_once(original: Callable[..., Any]) -> Callable[..., Any]:
    """`_patch_lang`, which spends most of a program's time to patch again what it has patched before.

    A process with the simulated device compiles nothing, so its language stays the interpreter's. That holds
    for what a file has imported from it by name, too.
    """
    from triton import language
    from triton.runtime import interpreter

    done: set[int] = set()
    compilers = {name: getattr(language, name) for name in dir(language)}

    def patch(function: Any) -> Any:
        names = function.__globals__
        if id(names) in done:
            return interpreter._LangPatchScope()
        done.add(id(names))
        original(function)
        for name, value in tuple(names.items()):
            meant = next((each for each, known in compilers.items() if known is value), "")
            if meant:
                names[name] = getattr(language, meant)
        return interpreter._LangPatchScope()

    return patch


def looked_up_once(original: Callable[..., Any]) -> Callable[..., Any]:
    """`_get_np_dtype`, which makes its table of all types again for every operation."""
    known: dict[str, Any] = {}

    def dtype_of(kind: Any) -> Any:
        scalar = kind.scalar
        if scalar.is_ptr():  # one of many types, with an address each
            return original(kind)
        if scalar.name not in known:
            known[scalar.name] = original(scalar)
        return known[scalar.name]

    return dtype_of


def call(function: Any, *arguments: Any, **keywords: Any) -> Any:
    """`InterpretedFunction.__call__`: a function that a kernel calls, whose errors stay what they are."""
    from triton.runtime import interpreter

    interpreter._patch_lang(function.fn)
    return function.rewrite()(*arguments, **keywords)


def by_its_own_names(original: Callable[..., Any]) -> Callable[..., Any]:
    """`FunctionRewriter._compile_and_exec`, which adds all names of its own module to those of a kernel.

    A name that the kernel's file lacks, such as `np`, is an error here as it is for Triton's compiler.
    """

    def execute(rewriter: Any, tree: Any) -> Any:
        names = rewriter.fn.__globals__
        before = {*names, _REWRITTEN}
        try:
            return original(rewriter, tree)
        finally:
            for added in set(names) - before:
                del names[added]

    return execute


# ---- memory operations of the interpreter ---------------------------------------------------------------


def load(builder: Any, pointers: Any, mask: Any, other: Any, *_: Any, **__: Any) -> Any:
    """`InterpreterBuilder.create_masked_load`."""
    from triton.runtime import interpreter

    kind = pointers.get_element_ty()
    values = numpy.empty_like(pointers.data, dtype=interpreter._get_np_dtype(kind))
    values[...] = _undefined(values.dtype, kind) if other is None else other.data
    now = running()
    return interpreter.TensorHandle(now.memory.load(now.line(), pointers.data, mask.data, values), kind)


def _undefined(dtype: Any, kind: Any) -> Any:
    """What masked elements hold without `other`: on a GPU anything, here what shows in a result."""
    if dtype.kind == "f":
        return numpy.nan
    return 0x7FC0 if str(kind) == "bf16" else numpy.iinfo(dtype).max if dtype.kind in "iu" else True


def store(builder: Any, pointers: Any, value: Any, mask: Any, *_: Any, **__: Any) -> None:
    """`InterpreterBuilder.create_masked_store`."""
    now = running()
    now.memory.store(now.line(), pointers.data, mask.data, value.data)


def atomic(original: Callable[..., Any]) -> Callable[..., Any]:
    """`InterpreterBuilder.create_atomic_rmw`, over its own."""

    def create(builder: Any, operation: Any, pointers: Any, value: Any, mask: Any, *rest: Any) -> Any:
        from triton.runtime import interpreter

        def compute(usable: Any) -> Any:
            part = interpreter.TensorHandle(usable, mask.dtype)
            return original(builder, operation, pointers, value, part, *rest)

        now = running()
        return now.memory.update(now.line(), pointers.data, mask.data, value.data.itemsize, compute)

    return create


def compare_and_swap(original: Callable[..., Any]) -> Callable[..., Any]:
    """`InterpreterBuilder.create_atomic_cas`, over its own."""

    def create(builder: Any, pointers: Any, expected: Any, value: Any, *rest: Any) -> Any:
        def compute(usable: Any) -> Any:
            return original(builder, pointers, expected, value, *rest) if usable.all() else expected

        now = running()
        return now.memory.update(now.line(), pointers.data, True, value.data.itemsize, compute)

    return create


def cast(original: Callable[..., Any]) -> Callable[..., Any]:
    """`InterpreterBuilder.cast_impl`, which cuts a float32 to the digits of a bfloat16: a GPU rounds."""

    def convert(builder: Any, source: Any, to: Any) -> Any:
        from triton import language as tl
        from triton.runtime import interpreter

        if source.dtype.scalar != tl.float32 or to.scalar != tl.bfloat16:
            return original(builder, source, to)
        bits = numpy.ascontiguousarray(source.data).view(numpy.uint32)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
        is_nan = numpy.isnan(source.data)
        return interpreter.TensorHandle(numpy.where(is_nan, numpy.uint16(0x7FC0), rounded), tl.bfloat16)

    return convert
