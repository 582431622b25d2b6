"""Puts the simulated device's memory below Triton's interpreter, as soon as Triton is imported."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from cusimt.device.driver import Driver
from cusimt.support.errors import InfrastructureError
from cusimt.triton.version import lacking, require

_SWITCH = "TRITON_INTERPRET"
_patched = False


def watch(driver: Driver) -> None:
    """Let Triton, wherever it is imported later, run its kernels on the simulated device of `driver`.

    Without Triton, or with a release that is not supported, this does nothing.
    """
    if lacking():
        return
    from cusimt.triton import memory, operators

    os.environ[_SWITCH] = "1"
    operators.install()
    memory.use(driver)
    if "triton" in sys.modules:
        _patch()
    else:
        sys.meta_path.insert(0, _AfterTriton())


def activate() -> None:
    """Import Triton so that its kernels run on the simulated device, which must be active.

    Raises `InfrastructureError` if Triton is missing, of an unsupported release, or was imported before the
    device was active.
    """
    require()
    import triton  # noqa: F401  # `watch` patches it

    if not _patched:
        raise InfrastructureError(
            "Triton does not know of the simulated device.",
            "It must be imported after the device is active.",
            "Call cusimt.activate.activate() before the first import of torch or triton.",
        )


class _AfterTriton(MetaPathFinder):
    """An import hook that patches Triton's interpreter once Triton is imported.

    Until then it stays: PyTorch asks for the spec alone, to know whether Triton is there.
    """

    _asking = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "triton" or self._asking:
            return None
        self._asking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._asking = False
        if spec is None or spec.loader is None:
            return spec
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            sys.meta_path.remove(self)
            execute(module)
            _patch()

        loader.exec_module = exec_module
        return spec


def _patch() -> None:
    """By the few parts that supported releases have in common."""
    from triton import knobs
    from triton.runtime import autotuner, interpreter

    from cusimt.triton import descriptors, grid, tuning

    global _patched
    if not knobs.runtime.interpret:
        return
    builder: Any = interpreter.InterpreterBuilder
    builder.create_masked_load = grid.load
    builder.create_masked_store = grid.store
    builder.create_atomic_rmw = grid.atomic(builder.create_atomic_rmw)
    builder.create_atomic_cas = grid.compare_and_swap(builder.create_atomic_cas)
    builder.cast_impl = grid.cast(builder.cast_impl)
    descriptor: Any = interpreter.TensorDescHandle
    descriptor.validate = descriptors.explained(descriptor.validate)
    parts: Any = interpreter
    parts._patch_lang_tensor = grid.indexable(parts._patch_lang_tensor)
    parts._patch_lang = grid.patched_once(parts._patch_lang)
    parts._get_np_dtype = grid.looked_up_once(parts._get_np_dtype)
    executor: Any = interpreter.GridExecutor
    executor.__call__ = grid.run
    rewriter: Any = interpreter.FunctionRewriter
    rewriter._compile_and_exec = grid.by_its_own_names(rewriter._compile_and_exec)
    function: Any = interpreter.InterpretedFunction
    function.__call__ = grid.call
    tuner: Any = autotuner.Autotuner
    tuner._bench = tuning.bench(tuner._bench)
    tuner.run = tuning.run(tuner.run)
    _patched = True
