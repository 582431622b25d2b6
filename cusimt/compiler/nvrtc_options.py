"""Reads the options of nvrtcCompileProgram, in all their spellings (NVRTC 13.0), as arguments of nvcc."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

__all__ = ["InvalidOption", "NvrtcOptions", "parse"]

_ARCHITECTURES = (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)
_STANDARDS = ("c++03", "c++11", "c++14", "c++17", "c++20")
_DEFAULT = "compute_75"
# "long short", or one name for both. What the compiler is told:
_PASSED_ON = "define-macro D, undefine-macro U, include-path I, pre-include include, std"
# What means nothing here: it tunes code for a GPU, or NVRTC's own messages.
_WITH_VALUE = """
    gpu-architecture arch, maxrregcount, ftz, prec-sqrt, prec-div, fmad, optimization-info opt-info,
    diag-error, diag-suppress, diag-warn, builtin-move-forward, builtin-initializer-list, split-compile,
    fdevice-time-trace, pch-dir, create-pch, use-pch, pch-verbose, pch-messages,
    instantiate-templates-in-pch, jump-table-density jtd, device-stack-protector, frandom-seed, time,
    Ofast-compile Ofc, dopt, ptxas-options Xptxas, relocatable-device-code rdc,
"""
_SWITCHES = """
    device-c dc, device-w dw, extensible-whole-program ewp, device-debug G, generate-line-info lineinfo,
    use_fast_math, extra-device-vectorization, modify-stack-limit, disable-warnings w, restrict,
    device-as-default-execution-space default-device, device-int128, device-float128, pch, minimal, no-cache,
    no-source-include, display-error-number err-no, no-display-error-number no-err-no,
    brief-diagnostics brief-diag, fdevice-syntax-only, version-ident, no-version-ident,
    assume-extern-functions-do-not-sync,
"""
_GPU_CODE = "dlink-time-opt dlto, gen-opt-lto, optix-ir"


def _spellings(text: str) -> dict[str, str]:
    """Every spelling of the listed options, and the long name of each."""
    found: dict[str, str] = {}
    for long, *short in filter(None, (part.split() for part in text.split(","))):
        found |= {f"-{name}": long for name in (f"-{long}", long, *short)}
    return found


_PASSED, _VALUED = _spellings(_PASSED_ON), _spellings(_WITH_VALUE)
_SWITCHED, _REFUSED = _spellings(_SWITCHES), _spellings(_GPU_CODE)
_GLUED = ("-I", "-D", "-U")  # the value may follow without an equals sign
_NVCC = {"define-macro": "-D", "undefine-macro": "-U", "include-path": "-I", "pre-include": "--pre-include"}


class InvalidOption(Exception):
    """What NVRTC's log says of an option that it does not take."""


@dataclass
class NvrtcOptions:
    """What the options ask for."""

    arguments: list[str] = field(default_factory=list)  # of nvcc
    folders: list[str] = field(default_factory=list)  # of headers
    architecture: str = _DEFAULT


def parse(options: Sequence[str]) -> NvrtcOptions:
    """Read `options`. Raises InvalidOption where NVRTC answers NVRTC_ERROR_INVALID_OPTION."""
    read = NvrtcOptions()
    for name, value in _pairs(options):
        if name == "gpu-architecture":
            read.architecture = _architecture(value)
        elif name == "std":
            if value not in _STANDARDS:
                raise InvalidOption("invalid value for --std(-std)")
            read.arguments.append(f"-std={value}")
        elif name in _NVCC:
            read.arguments += [_NVCC[name], value]
            read.folders += [value] if name == "include-path" else []
        elif name == "disable-warnings":
            read.arguments.append("-w")
        elif name == "device-debug":
            read.arguments.append("-D__CUDACC_DEBUG__")
    return read


def _pairs(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The long name and the value of each option."""
    rest = iter(options)
    for option in rest:
        head, equals, tail = option.partition("=")
        valued = _PASSED | _VALUED
        glued = next((short for short in _GLUED if option.startswith(short) and option != short), None)
        if option in _REFUSED:
            raise InvalidOption(
                f"{option} asks for code of a GPU. The simulated GPU runs kernels as host code: leave it out"
            )
        if option in _SWITCHED:
            yield _SWITCHED[option], ""
        elif glued:
            yield _PASSED[glued], option[len(glued) :].removeprefix("=").strip()
        elif head in valued and equals:
            yield valued[head], tail
        elif option in valued:
            value = next(rest, None)
            if value is None:
                raise InvalidOption(f"missing value for option {option}")
            yield valued[option], value
        else:
            raise InvalidOption(f"unrecognized option {option} found")


def _architecture(value: str) -> str:
    found = re.fullmatch(r"(?:sm|compute)_(\d+)[af]?", value)
    if found is None or int(found[1]) not in _ARCHITECTURES:
        raise InvalidOption("invalid value for --gpu-architecture (-arch)")
    return value
