"""Triton's own compiler, as far as it goes without a GPU: from a kernel to TTIR, its intermediate language.

It needs a process of its own, which runs no kernel: where the interpreter is in use, it has replaced the
language.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from cusimt.triton.specialisations import ALIGNED

__all__ = ["CAPABILITY", "Frontend", "Refusal", "import_compiler"]

CAPABILITY = 90  # of the GPU that is compiled for, times 10
_SWITCH = "TRITON_INTERPRET"
_NATIVE = "triton._C"  # which cannot be loaded twice, and has nothing of the interpreter


def import_compiler() -> None:
    """Import Triton for its compiler, also where it was imported for its interpreter before.

    Raises ImportError, or whatever else an incomplete installation raises.
    """
    os.environ.pop(_SWITCH, None)
    for name in [each for each in sys.modules if each == "triton" or each.startswith("triton.")]:
        if not name.startswith(_NATIVE):
            del sys.modules[name]
    importlib.import_module("triton")
    _backend()


@dataclass(frozen=True)
class Refusal:
    """What the compiler has against a kernel: ``line`` of ``file`` is 0 where it named none.

    ``text`` is ``""`` where the compiler has printed the error and not raised it. ``constants`` are those of
    the specialisation, as ``BLOCK=64, ROWS=4``.
    """

    kernel: str
    constants: str = ""
    file: str = ""
    line: int = 0
    text: str = ""


class Frontend:
    """Compiles kernels of some modules, each specialisation once."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._kernels = {_place(each): each for module in modules for each in _kernels_in(module)}
        self._answers: dict[str, Refusal | None] = {}

    def refusal(self, specialisation: str) -> Refusal | None:
        """What the compiler has against a text of `specialisations`; None where it has nothing."""
        launch = json.loads(specialisation)
        kernel = self._kernels.get((launch["file"], launch["kernel"]))
        if kernel is None:
            return Refusal(launch["kernel"], text=f"{launch['file']} has no kernel of this name")
        try:
            source = self._source(kernel, launch)
        except Exception as error:
            return Refusal(launch["kernel"], text=_named(error))
        if source.key not in self._answers:
            self._answers[source.key] = self._compiled(source)
        return self._answers[source.key]

    def _source(self, kernel: Any, launch: Mapping[str, Any]) -> _Source:
        """The kernel with what it is compiled for, by the rules of Triton's own launcher."""
        from triton.runtime.jit import create_function_from_signature

        arguments = [self._value(each) for each in launch["arguments"]]
        keywords = {name: self._value(each) for name, each in launch["keywords"].items()}
        keywords["debug"] = bool(keywords.get("debug", kernel.debug))
        bind = create_function_from_signature(kernel.signature, kernel.params, _backend())
        bound, types, _ = bind(*arguments, **keywords)
        return _Source(kernel, *kernel._pack_args(_backend(), keywords, bound, types, None))

    def _value(self, described: Any) -> Any:
        """What stands for an argument that was described by `specialisations`."""
        if not isinstance(described, dict):
            return described
        if "tensor" in described:
            return _Tensor(_type(described["tensor"]), ALIGNED if described["aligned"] else ALIGNED // 2)
        if "type" in described:
            return _type(described["type"])
        if "kernel" in described:
            return self._kernels[described["file"], described["kernel"]]
        if "descriptor" in described:
            return _descriptor(self._value(described["descriptor"]), described["block"])
        return _tuple([self._value(each) for each in described["tuple"]], described["fields"])

    def _compiled(self, source: _Source) -> Refusal | None:
        try:
            _compile(source)
        except Exception as error:
            file, line = self._own_line(error)
            return Refusal(source.kernel.__name__, source.constants_text, file, line, _said(error))
        return None

    def _own_line(self, error: BaseException) -> tuple[str, int]:
        """The innermost line of these kernels that led to an error: the rest is Triton's own code."""
        begun = {kernel.src: (place[0], _first_line(kernel)) for place, kernel in self._kernels.items()}
        found = "", 0
        for each in _chain(error):
            line = getattr(getattr(each, "node", None), "lineno", 0)
            if line and getattr(each, "src", None) in begun:
                file, first = begun[each.src]
                found = file, first + line - 1
        return found


class _Source(NamedTuple):
    """What `JITFunction._pack_args` makes of a launch."""

    kernel: Any
    options: Any
    signature: dict[str, Any]
    constants: dict[tuple[int, ...], Any]
    attributes: dict[tuple[int, ...], Any]

    @property
    def key(self) -> str:
        """Equal for kernels that differ in the divisors of numbers alone, which later passes read."""
        return repr((_place(self.kernel), self.signature, self.constants, str(self.options)))

    @property
    def constants_text(self) -> str:
        named = [
            (self.kernel.params[path[0]], value) for path, value in self.constants.items() if len(path) == 1
        ]
        return ", ".join(f"{param.name}={value}" for param, value in named if param.is_constexpr)


@dataclass(frozen=True)
class _Tensor:
    """As much of a tensor as a launch looks at."""

    dtype: Any
    address: int

    def data_ptr(self) -> int:
        return self.address


@functools.cache
def _backend() -> Any:
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend

    return make_backend(GPUTarget("cuda", CAPABILITY, 32))


def _compile(source: _Source) -> None:
    """To TTIR, checked. Raises what Triton's compiler raises."""
    from triton._C.libtriton import ir
    from triton.compiler import ASTSource

    backend = _backend()
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    made = ASTSource(source.kernel, source.signature, source.constants, source.attributes)
    functions, modules = backend.get_codegen_implementation(source.options), backend.get_module_map()
    module = made.make_ir(backend.target, source.options, functions, modules, context)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, source.options, made.language)
    stages[made.ext](module, {"target": backend.target, **vars(source.options)})


def _kernels_in(module: ModuleType) -> Iterator[Any]:
    from triton.runtime.jit import JITFunction, KernelInterface

    for value in vars(module).values():
        while isinstance(value, KernelInterface) and not isinstance(value, JITFunction):
            value = value.fn  # of autotune and heuristics
        if isinstance(value, JITFunction) and value.fn.__module__ == module.__name__:
            yield value


def _place(kernel: Any) -> tuple[str, str]:
    code = kernel.fn.__code__
    return Path(code.co_filename).name, code.co_name


def _first_line(kernel: Any) -> int:
    from triton.runtime.jit import get_jit_fn_file_line

    return int(get_jit_fn_file_line(kernel)[1])


def _type(name: str) -> Any:
    """Of ``torch.float32`` PyTorch's, of ``fp32`` Triton's."""
    import torch
    from triton import language as tl

    return getattr(torch, name.removeprefix("torch.")) if name.startswith("torch.") else tl.dtype(name)


def _descriptor(base: Any, block: Sequence[int]) -> Any:
    from triton.tools.tensor_descriptor import TensorDescriptor

    strides = [ALIGNED] * (len(block) - 1) + [1]
    return TensorDescriptor(base, list(block), strides, list(block))


def _tuple(parts: Sequence[Any], fields: Sequence[str]) -> Any:
    from collections import namedtuple

    return namedtuple("Arguments", fields)(*parts) if fields else tuple(parts)


def _chain(error: BaseException) -> Iterator[Any]:
    """An error of the compiler, and what led to it: its own errors name a line each, the last the cause."""
    from triton.compiler.errors import CompilationError

    each: BaseException | None = error
    while each is not None:
        yield each
        each = each.__cause__ or (each.__context__ if isinstance(each, CompilationError) else None)


def _said(error: BaseException) -> str:
    """The words of the cause; ``""`` of an error after which the compiler has printed them."""
    from triton.compiler.errors import CompilationError

    *_, cause = _chain(error)
    if isinstance(cause, CompilationError):
        return str(cause.error_message or "")
    return "" if isinstance(cause, RuntimeError) and cause is error else _named(cause)


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
