"""Put the simulated `cuda` device into this process's PyTorch.

`activate` must run before torch is imported. It loads the runtime and the device library first, so that
symbols which CPU builds of PyTorch lack, and which CUDA builds bind to a GPU, resolve to them; then it
registers the device. When `import torch` reaches `torch.cuda`, `device/bindings.py` adds the functions of
`torch._C` on which `torch.cuda` is built. No operator runs, so the process may fork afterwards and each
child use the device.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from cusimt import triton as triton_programs
from cusimt.device import autograd_threads, bindings, compiled_kernels, storages, torch_compile
from cusimt.device.driver import Driver
from cusimt.gpu_models import CUDA_VERSION
from cusimt.support import collector
from cusimt.support.errors import InfrastructureError

__all__ = ["activate", "driver"]

_driver: Driver | None = None


class _BeforeTorchCuda:
    """An import hook that finds no module: it installs the bindings just before `torch.cuda` is imported."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "torch.cuda":
            sys.meta_path.remove(self)
            bindings.install(self._driver, sys.modules["torch._C"])
        return None


def activate() -> None:
    """Load the simulated device and import torch with it; later calls do nothing.

    Raises `InfrastructureError` if torch is already imported without it, or not installed.
    """
    if _driver is not None:
        return
    if "torch" in sys.modules:
        raise InfrastructureError(
            "The simulated device cannot be added: torch is already imported.",
            "It must be in place before torch loads its libraries.",
            "Call cusimt.activate.activate() before the first `import torch`.",
        )
    with torch_import():
        import torch  # noqa: F401  # for what importing it does


@contextmanager
def torch_import() -> Iterator[None]:
    """Import torch within this context, and it has the simulated device."""
    global _driver
    if _driver is not None:  # nested imports
        yield
        return
    _driver = _load(_torch_folder())
    hook = _BeforeTorchCuda(_driver)
    sys.meta_path.insert(0, hook)
    try:
        with collector.paused():
            yield
    finally:
        if hook in sys.meta_path:
            sys.meta_path.remove(hook)
    _adjust(sys.modules["torch"])


def driver() -> Driver:
    """The active device's C functions (operator log, statistics). Raises before `activate`."""
    if _driver is None:
        raise InfrastructureError(
            "The simulated device is not active in this process.",
            "Its functions exist once it is.",
            "Call cusimt.activate.activate() first.",
        )
    return _driver


def _torch_folder() -> Path:
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        raise InfrastructureError(
            "PyTorch is not installed for this Python.",
            "The simulated device lives inside PyTorch.",
            "Install it: pip install torch.",
        )
    return Path(next(iter(spec.submodule_search_locations)))


def _load(torch_folder: Path) -> Driver:
    from cusimt.compiler import libraries

    torch_libraries = torch_folder / "lib"
    # Symbols resolve to the library loaded first: the runtime's cuda* functions before those of libcudart,
    # which comes with a CUDA build's global dependencies; these before libtorch_cpu, which needs their BLAS.
    runtime = ctypes.CDLL(str(libraries.runtime_library()), mode=ctypes.RTLD_GLOBAL)
    ctypes.CDLL(str(torch_libraries / "libtorch_global_deps.so"), mode=ctypes.RTLD_GLOBAL)
    device = ctypes.CDLL(str(libraries.device_library()), mode=ctypes.RTLD_GLOBAL)
    driver = Driver(runtime, device)
    if (torch_libraries / "libtorch_cuda.so").exists():
        # A CUDA build registers its kernels when this is loaded; ours must come after them. Its calls of
        # c10::cuda functions bind to the libraries above.
        ctypes.CDLL(str(torch_libraries / "libtorch_cuda.so"))
    driver.simt_register_device()
    return driver


def _runtime_path() -> str:
    from cusimt.compiler import libraries

    return str(libraries.runtime_path())


def _adjust(torch: ModuleType) -> None:
    """Patch the few parts of torch that do not go through `torch._C`."""
    torch.version.cuda = CUDA_VERSION
    # NVML, where there is one, counts real GPUs, and CUDA_VISIBLE_DEVICES hides them.
    torch.cuda._device_count_nvml = lambda: -1
    storages.install(torch)
    autograd_threads.install()
    torch_compile.install(torch)
    compiled_kernels.install(torch, _runtime_path())
    triton_programs.watch(driver())
    # A CUDA build's profiler would ask CUPTI; without that it times operators with events of the device.
    profiler = torch.autograd.profiler
    activities = profiler._supported_activities() - {profiler.ProfilerActivity.CUDA}
    profiler._supported_activities = lambda: activities
