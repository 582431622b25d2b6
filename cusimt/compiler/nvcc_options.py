"""Reads nvcc's command line, in all the spellings that nvcc itself accepts (nvcc --help, CUDA 13.0)."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cusimt.support.errors import UsageError

# The options of nvcc --help without their dashes: "long short", or one name for both. With them those that it
# accepts and does not list, of which Xfatbin is the best known, and one of our own: cusimt-module, a library
# for the driver's API (nvrtc.py).
_WITH_VALUE = """
    output-file o, pre-include include, library l, define-macro D, undefine-macro U, include-path I,
    system-include isystem, library-path L, output-directory odir, compiler-bindir ccbin,
    archiver-binary arbin, cudart, cudadevrt, libdevice-directory ldir, target-directory target-dir,
    optimization-info opt-info, optimize O, Ofast-compile Ofc, dopt, ftemplate-backtrace-limit,
    ftemplate-depth, x, std, machine m, compiler-options Xcompiler, linker-options Xlinker,
    archive-options Xarchive, ptxas-options Xptxas, nvlink-options Xnvlink, cudafe-options Xcudafe,
    cicc-options Xcicc, fatbin-options Xfatbin, nvasm-options Xnvasm, nvdisasm-options Xnvdisasm,
    input-drive-prefix idp, dependency-drive-prefix ddp, drive-prefix dp, qpp-config,
    static-global-template-stub, device-entity-has-hidden-visibility, threads t, split-compile,
    split-compile-extended, fdevice-time-trace, keep-dir, time, run-args, dependency-output MF,
    dependency-target-name MT, gpu-architecture arch, gpu-code code, generate-code gencode,
    relocatable-device-code rdc, entries e, maxrregcount, ftz, prec-div, prec-sqrt, fmad,
    default-stream, Werror, diag-error, diag-suppress, diag-warn, host-linker-script hls,
    brief-diagnostics brief-diag, jump-table-density jtd, device-stack-protector, compress-mode,
    frandom-seed, sanitize, options-file optf,
"""
_SWITCHES = """
    preprocess E, generate-dependencies M, generate-nonsystem-dependencies MM,
    generate-dependencies-with-compile MD, generate-nonsystem-dependencies-with-compile MMD,
    generate-dependency-targets MP, compile c, link, shared, debug g, device-debug G,
    generate-line-info lineinfo, profile pg, disable-warnings w, dryrun, verbose v, version V, help h,
    forward-unknown-to-host-compiler, forward-unknown-to-host-linker, forward-unknown-opts, device-c dc,
    device-w dw, device-link dlink, ptx, cubin, fatbin, optix-ir, ltoir, cuda, lib, run,
    dlink-time-opt dlto, list-gpu-code code-ls, list-gpu-arch arch-ls, cusimt-module,
"""
# Switches that mean nothing here: they tune code for a GPU, or nvcc's own diagnostics.
_WITHOUT_EFFECT = """
    expt-relaxed-constexpr, expt-extended-lambda, extended-lambda, use_fast_math,
    extra-device-vectorization, restrict, resource-usage res-usage, allow-unsupported-compiler,
    dont-use-profile noprof, use-local-env, keep, save-temps, objdir-as-tempdir objtemp, m64,
    no-exceptions noeh, no-align-double, no-device-link nodlink, no-compress,
    no-host-device-initializer-list nohdinitlist, no-host-device-move-forward nohdmoveforward,
    source-in-ptx src-in-ptx, keep-device-functions, extensible-whole-program ewp,
    display-error-number err-no, no-display-error-number no-err-no, Wreorder, Wdefault-stream-launch,
    Wmissing-launch-bounds, Wext-lambda-captures-this, Wno-deprecated-declarations,
    Wno-deprecated-gpu-targets, relocatable-ptx reloc-ptx, jobserver, fdevice-syntax-only,
    force-cl-env-setup, lto, gen-opt-lto, no-device-inline nodinline, aggressive-inline, no-lineinfo-ia,
    fassociative-math, legacy-launch-seq, no-shadow-functions, restrict-in-struct,
    augment-host-linker-script aug-hls,
"""


def _pairs(text: str) -> dict[str, str]:
    """Every spelling of the listed options, and the long name of each."""
    spellings: dict[str, str] = {}
    for names in filter(None, (part.split() for part in text.split(","))):
        long = f"--{names[0]}"
        spellings |= {long: long, **{f"-{name}": long for name in names}}
    return spellings


_VALUED = _pairs(_WITH_VALUE)
_SWITCHED = _pairs(_SWITCHES) | _pairs(_WITHOUT_EFFECT)
_LONG = _VALUED | _SWITCHED
_GLUED = ("-I", "-L", "-D", "-U", "-l", "-O", "-o", "-t", "-m", "-x")  # the value may follow without a space
_LISTS = frozenset({"--compiler-options", "--linker-options", "--library", "--pre-include"})


class UnknownOption(Exception):
    """An argument that nvcc would not know either."""


@dataclass
class Options:
    """A parsed command line: values per long option name, input files, and what nvcc does not know."""

    values: dict[str, list[str]] = field(default_factory=dict)
    inputs: list[Path] = field(default_factory=list)
    forwarded: list[str] = field(default_factory=list)

    def has(self, name: str) -> bool:
        return name in self.values

    def all(self, name: str) -> list[str]:
        return self.values.get(name, [])

    def last(self, name: str, default: str = "") -> str:
        return self.values.get(name, [default])[-1]


def outputs(
    options: Options, output: str, suffix: str, mode: str, product: str
) -> Iterator[tuple[Path, str]]:
    """Each input and the file that is made of it: `output`, or a name after the input.

    Raises UsageError if there is an `output` for several inputs: in that `mode`, each has a `product` of its
    own.
    """
    if output and len(options.inputs) > 1:
        raise UsageError(
            "-o was given with several inputs.",
            f"With {mode}, each source has {product} of its own.",
            "Leave out -o, or compile each source in a command of its own.",
        )
    folder = Path(options.last("--output-directory", "."))
    for source in options.inputs:
        yield source, output or str(folder / f"{source.stem}{suffix}")


def parse(arguments: Sequence[str]) -> Options:
    """Read `arguments`. Raises UnknownOption where nvcc would stop."""
    options = Options()
    rest = iter([*_expanded(arguments)])
    for argument in rest:
        if not argument.startswith("-"):
            options.inputs.append(Path(argument))
            continue
        name, value = _split(argument)
        if name is None:
            options.forwarded.append(argument)
        elif name in _SWITCHED:
            options.values.setdefault(name, []).append("")
        else:
            text = value if value is not None else next(rest, "")
            options.values.setdefault(name, []).extend(_items(name, text))
    forwards = ("--forward-unknown-to-host-compiler", "--forward-unknown-opts")
    if options.forwarded and not any(options.has(name) for name in forwards):
        raise UnknownOption(options.forwarded[0])
    return options


def _expanded(arguments: Iterable[str]) -> Iterator[str]:
    """`arguments` with the words of response files, `@file` and `--options-file file,...`, in their place."""
    rest = iter(arguments)
    for argument in rest:
        name, value = _split(argument)
        if argument.startswith("@"):
            files = [argument[1:]]
        elif name == "--options-file":
            files = (value if value is not None else next(rest, "")).split(",")
        else:
            yield argument
            continue
        for file in files:
            yield from _expanded(shlex.split(Path(file).read_text()))


def _split(argument: str) -> tuple[str | None, str | None]:
    """The long name and the value glued to `argument`: "-O3", "-std=c++20", "--output-file=x"."""
    head, equals, tail = argument.partition("=")
    for spelling, value in ((argument, None), (head, tail if equals else None)):
        if spelling in _LONG:
            return _LONG[spelling], value
    for short in _GLUED:
        if argument.startswith(short):
            return _LONG[short], argument[len(short) :]
    return None, None


def _items(name: str, text: str) -> Iterator[str]:
    """The values in `text`: some options take a comma-separated list, whose items may be quoted."""
    if name not in _LISTS:
        yield text
        return
    splitter = shlex.shlex(text, posix=True, punctuation_chars=False)
    splitter.whitespace = "," if name != "--compiler-options" else ", "
    splitter.whitespace_split = True
    splitter.commenters = ""
    yield from splitter
