"""PTX, cubins and fat binaries of the simulated nvcc: images of a module that the driver's API loads.

The code is a library in the cache, as it is of programs that NVRTC compiles. The file that nvcc writes names
that library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from cusimt.compiler.gpu_code import requested_code
from cusimt.compiler.include_paths import IncludePaths
from cusimt.compiler.nvcc_options import Options, outputs
from cusimt.compiler.nvrtc_image import image
from cusimt.compiler.sources import content_key
from cusimt.support import cache

__all__ = ["identity", "module_arguments", "wanted_image", "write_images"]

# nvcc's options for a library whose names are its own, with nothing left for another one to define.
_MODULE = {
    "--cusimt-module": [""],
    "--relocatable-device-code": ["true"],
    "--shared": [""],
    "--linker-options": ["--no-undefined", "--no-demangle"],
    "--compiler-options": ["-fvisibility=hidden"],
}
_SUFFIXES = {"--ptx": ".ptx", "--cubin": ".cubin", "--fatbin": ".fatbin"}
_LIBRARY = "kernels.so"


def module_arguments() -> list[str]:
    """The command line of such a library."""
    return [f"{name}={value}" if value else name for name, values in _MODULE.items() for value in values]


def identity(checked: bool) -> list[object]:
    """What, beside a source and its options, decides what is compiled."""
    from cusimt.compiler import libraries
    from cusimt.compiler.toolkit import translator
    from cusimt.support.toolchain import host_compiler

    flags = libraries.compile_flags(checked)
    return [*host_compiler().identity, *flags, libraries.sources_digest(), translator(), checked]


def wanted_image(options: Options) -> str:
    """Which image of device code the command line asks for: an option's name, or ""."""
    return next((name for name in _SUFFIXES if options.has(name)), "")


def write_images(
    options: Options, compile_and_link: Callable[[Options], int], paths: IncludePaths, checked: bool
) -> int:
    """Write the image of each input, whose library `compile_and_link` writes; returns the exit status."""
    kind, output = wanted_image(options), options.last("--output-file")
    for source, target in outputs(options, output, _SUFFIXES[kind], kind, "an image"):
        ours = _for_a_library(options, source)
        key = [
            *identity(checked),
            sorted(ours.values.items()),
            source.absolute(),
            *content_key(source, paths.own),
        ]
        with cache.entry(key, room="device-images") as slot:
            if slot.missing:
                ours.values["--output-file"] = [str(slot.folder / _LIBRARY)]
                if status := compile_and_link(ours):
                    slot.discard()
                    return status
        end = "" if kind == "--ptx" else "\0"  # nobody puts one behind what is binary
        text = image(slot.path / _LIBRARY, str(source), _architectures(kind, options))
        Path(target).write_text(text + end)
    return 0


def _for_a_library(options: Options, source: Path) -> Options:
    dropped = {*_SUFFIXES, "--output-file", "--output-directory", "--compile"}
    kept = {name: [*values] for name, values in options.values.items() if name not in dropped}
    for name, values in _MODULE.items():
        kept[name] = [*kept.get(name, []), *values] if name.endswith("-options") else values
    return replace(options, values=kept, inputs=[source])


def _architectures(kind: str, options: Options) -> str:
    """What the image is for: sm_90 of a cubin, compute_90 of PTX, and each of those in a fat binary."""
    prefixes = {"--ptx": ("compute_",), "--cubin": ("sm_",), "--fatbin": ("sm_", "compute_")}[kind]
    return " ".join(code for code in requested_code(options) if code.startswith(prefixes))
