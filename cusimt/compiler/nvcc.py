"""An nvcc that compiles for the simulated GPU: nvcc's command line, translated sources, the host compiler.

`CUDA_HOME/bin/nvcc` of the simulated toolkit (see toolkit.py) runs this module. It accepts what torch's
cpp_extension, setuptools and CMake pass to nvcc. Flags about GPU code change nothing; PTX, cubins and fat
binaries are images that the simulated driver loads. Device code that was compiled separately is linked by the
host's linker.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cusimt.compiler import cccl, gpu_code, libraries, nvcc_report
from cusimt.compiler.dependencies import finish_rule, listing_flags, rule_flags, rules_only, written_rule
from cusimt.compiler.device_images import wanted_image, write_images
from cusimt.compiler.include_paths import IncludePaths, of_environment, of_host_compiler
from cusimt.compiler.nvcc_options import Options, UnknownOption, outputs, parse
from cusimt.compiler.sources import beside, translate_tree
from cusimt.compiler.untranslated import untranslated
from cusimt.support.errors import ExplainedError, UsageError
from cusimt.support.linker import shared_library_flags
from cusimt.support.toolchain import HostCompiler, compiler_called, host_compiler
from cusimt.translate import TranslationError

__all__ = ["checks_wanted"]

CHECKS_VARIABLE = "CUSIMT_CHECKS"
_LANGUAGES = {".cu": "cu", ".c": "c"}
_OBJECT_SUFFIXES = (".o", ".a", ".so")
_COMPILE_ONLY = ("--compile", "--device-c", "--device-w", "--preprocess")
_GPU_CODE_ONLY = {
    "--optix-ir": "OptiX code",
    "--ltoir": "LTO code",
    "--cuda": "intermediate CUDA code",
}


_LEGACY_STREAM = (
    "nvcc warning : --default-stream=per-thread is not simulated: launches without a stream go to the legacy "
    "default stream, which orders them. Name cudaStreamPerThread in a launch to have its races found."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one nvcc command; returns its exit status."""
    try:
        return run(list(sys.argv[1:] if arguments is None else arguments))
    except UnknownOption as unknown:
        print(f"nvcc fatal   : Unknown option '{unknown}'", file=sys.stderr)
    except TranslationError as error:
        print(f"{error.file}:{error.line}: error: {error.message}", error.rule, error.next, file=sys.stderr)
    except ExplainedError as error:
        print(f"nvcc fatal   : {error}", file=sys.stderr)
    except OSError as error:
        advice = f"Paths count from {Path.cwd()}: correct the one on the command line."
        print(f"nvcc fatal   : '{error.filename}': {error.strerror}.", advice, file=sys.stderr)
    return 1


def run(arguments: list[str]) -> int:
    options = parse(arguments)
    if options.has("--version") or options.has("--help"):
        print(nvcc_report.version() if options.has("--version") else __doc__)
        return 0
    for listed, prefix in (("--list-gpu-code", "sm_"), ("--list-gpu-arch", "compute_")):
        if options.has(listed):
            print(*(f"{prefix}{number}" for number in gpu_code.KNOWN), sep="\n")
            return 0
    if _is_verbose(options):
        print(*nvcc_report.facts(), sep="\n", file=sys.stderr)
    _refuse(options)
    if options.last("--default-stream") == "per-thread":
        print(_LEGACY_STREAM, file=sys.stderr)
    if not options.inputs:
        raise UsageError(
            "No input files were given.",
            "nvcc compiles sources and links objects.",
            "Name one: nvcc kernel.cu -o program",
        )
    with tempfile.TemporaryDirectory(prefix="cusimt-nvcc-") as scratch:
        if wanted_image(options):
            paths, link = _include_paths(options), functools.partial(_compile_and_link, scratch=Path(scratch))
            return write_images(options, link, paths, checks_wanted())
        if options.has("--device-link"):
            return _link_device_code(options)
        if _is_one_of(options, *_COMPILE_ONLY) or rules_only(options):
            return _compile_each(options, Path(scratch))
        return _compile_and_link(options, Path(scratch))


def _refuse(options: Options) -> None:
    for name, what in _GPU_CODE_ONLY.items():
        if options.has(name):
            raise UsageError(
                f"{name} asks for {what}.",
                "The simulated GPU runs kernels as host code: there is none.",
                "Compile each .cu with -c.",
            )
    if options.has("--run"):
        raise UsageError(
            "--run asks for the program to be run at once.",
            "This nvcc only compiles and links.",
            "Leave out --run, and start the program that nvcc wrote.",
        )


def _link_device_code(options: Options) -> int:
    """Write the object that a build expects of this step; the host's linker will find device code, too."""
    target = options.last("--output-file", "a_dlink.o")
    return _execute(options, [*_host(options).command, "-fPIC", "-x", "c++", "-c", os.devnull, "-o", target])


def _compile_each(options: Options, scratch: Path) -> int:
    output = "" if rules_only(options) else options.last("--output-file")
    for number, (source, target) in enumerate(outputs(options, output, ".o", "-c", "an object")):
        status = _compile(options, source, target, scratch / str(number))
        if status != 0:
            return status
    return 0


def _compile_and_link(options: Options, scratch: Path) -> int:
    objects = []
    for number, source in enumerate(options.inputs):
        if source.suffix in _OBJECT_SUFFIXES:
            objects.append(str(source))
            continue
        objects.append(str(scratch / f"{number}.o"))
        status = _compile(options, source, objects[-1], scratch / str(number))
        if status != 0:
            return status
    if options.has("--lib"):
        return _archive(options, objects)
    checks = checks_wanted()
    command = [*_host(options).command, *(["-shared"] if options.has("--shared") else [])]
    # Before the libraries, one of which may be the toolkit's libcudart and bring the module object again.
    command += [*objects, str(libraries.module_object(checks)), "-o", options.last("--output-file", "a.out")]
    command += [f"-L{folder}" for folder in options.all("--library-path")]
    home = os.environ.get(nvcc_report.TOOLKIT_VARIABLE)
    command += [f"-L{home}/lib64"] if home else []  # as nvcc does of itself
    wanted = options.all("--library")
    command += [f"-l{library}" for library in wanted]
    command += [f"-Wl,-rpath,{libraries.solver_library().parent}"] if "cusolver" in wanted else []
    command += [f"-Wl,{flag}" for flag in options.all("--linker-options")]
    command += [*options.all("--compiler-options"), *options.forwarded]
    if _is_verbose(options):
        implied = f"{nvcc_report.libraries()} -lcudadevrt -lcudart_static"  # CMake links with these itself
        print(f"#$ {command[0]} {shlex.join(objects)} {implied}", file=sys.stderr)
    return _execute(options, [*command, *libraries.link_flags(checks), *shared_library_flags(_host(options))])


def _archive(options: Options, objects: list[str]) -> int:
    """Put `objects` into a static library of their own; an older one of that name is replaced."""
    output = options.last("--output-file", "a.a")
    if not options.has("--dryrun"):
        Path(output).unlink(missing_ok=True)
    return _execute(options, [options.last("--archiver-binary", "ar"), "rcs", output, *objects])


def _compile(options: Options, source: Path, target: str, scratch: Path) -> int:
    language = options.last("--x") or _LANGUAGES.get(source.suffix, "c++")
    paths = _include_paths(options)
    translated, include_dirs = source, list(paths.own)
    if language == "cu":
        library_dirs = (*paths.libraries, *paths.system)
        forced = options.all("--pre-include")
        translated, include_dirs = translate_tree(
            source, paths.own, scratch, library_dirs, forced, _is_relocatable(options), _is_module(options)
        )
    include_dirs += paths.libraries
    command = [*_host(options).command, "-x", "c" if language == "c" else "c++"]
    # Ours come as -I: a -I of torch's own headers would win over any -isystem.
    command += [f"-I{folder}" for folder in [*libraries.include_dirs(), *include_dirs]]
    command += cccl.include_flags()
    command += [*_flags(options, language), *(beside(source) if language == "cu" else [])]
    if options.has("--preprocess"):
        command += ["-E", *(["-o", target] if options.has("--output-file") else [])]
        return _execute(options, [*command, str(translated)])
    rule = rule_flags(options, target, scratch)
    product = [] if rules_only(options) else ["-c", "-o", target]
    listing = [] if rule or language != "cu" else listing_flags(scratch)
    status = _execute(options, [*command, *rule, *listing, *product, str(translated)])
    if status != 0 or options.has("--dryrun"):
        return status
    if product and language == "cu":
        _warn_of_untranslated(scratch, paths)
        changes = [f"--redefine-sym={name}=__wrap_{name}" for name in wrapped_functions(checks_wanted())]
        changes += gpu_code.section_flags(options, source, scratch)
        status = _execute(options, ["objcopy", *changes, target])
    if rule:
        finish_rule(options, source, paths, target, scratch)
    return status


def _warn_of_untranslated(scratch: Path, paths: IncludePaths) -> None:
    others = [*libraries.include_dirs(), *paths.libraries, *paths.system, *filter(None, [cccl.include_dir()])]
    for file in untranslated(written_rule(scratch), scratch, others):
        print(
            f"nvcc warning : {file} has device code and was compiled as host code. "
            "Only the preprocessor knows the name in the include that leads there. "
            "Write the name into the include.",
            file=sys.stderr,
        )


def wrapped_functions(checked: bool) -> list[str]:
    """What the linker is to --wrap. Here others write the link command, so objects have it done already."""
    flags = [flag for flag in libraries.link_flags(checked) if flag.startswith("-Wl,--wrap=")]
    return [flag.partition("=")[2] for flag in flags]


def _flags(options: Options, language: str) -> list[str]:
    """The host compiler's flags; -O and -g stay what the runtime needs for its findings."""
    ours = libraries.compile_flags(checks_wanted() and language == "cu", _host(options))
    flags = [*(flag for flag in ours if not flag.startswith("-std=")), "-g1"]
    flags += ["-include", "simt/prelude.h"] if language == "cu" else []
    flags += ["-include", "simt/module_kernels.h"] if _is_module(options) else []
    flags += [f"-D{macro}" for macro in options.all("--define-macro")]
    flags += [f"-U{macro}" for macro in options.all("--undefine-macro")]
    flags += [part for folder in _include_paths(options).system for part in ("-isystem", str(folder))]
    if language != "cu":  # there the translated source includes them
        flags += [part for header in options.all("--pre-include") for part in ("-include", header)]
    flags += options.all("--compiler-options") + options.forwarded
    flags += ["-w"] if options.has("--disable-warnings") else []
    standard = _standard(options, language)  # host code may have another one by -Xcompiler
    return [*flags, *standard] if language == "cu" else [*standard, *flags]


def _standard(options: Options, language: str) -> list[str]:
    """The flag for the language's standard: for device code C++20 or later, which the headers need there."""
    if language == "c":
        return []
    asked = options.last("--std") or "gnu++17"
    year = re.fullmatch(r"(?:c|gnu)\+\+(\d\d)", asked)
    is_too_old = year is None or not 20 <= int(year[1]) < 90
    return ["-std=c++20" if language == "cu" and is_too_old else f"-std={asked}"]


def _include_paths(options: Options) -> IncludePaths:
    named = [*options.all("--include-path"), *of_host_compiler(options.all("--compiler-options"))]
    return IncludePaths.of(named, [*options.all("--system-include"), *of_environment()])


def checks_wanted() -> bool:
    """Whether kernels are compiled with access checks: the simulated toolkit says so in the environment."""
    return os.environ.get(CHECKS_VARIABLE, "0") == "1"


def _host(options: Options) -> HostCompiler:
    chosen = options.last("--compiler-bindir")
    return _chosen(chosen) if chosen else host_compiler()


@functools.cache
def _chosen(compiler: str) -> HostCompiler:
    if Path(compiler).is_dir():
        return compiler_called(str(Path(compiler) / "g++"))
    # torch passes $CC here, which may be a C compiler; nvcc links C++ with it all the same.
    named = re.sub(r"gcc(?=[-\d.]*$)", "g++", re.sub(r"clang(?=[-\d.]*$)", "clang++", compiler))
    return compiler_called(named)


def _is_relocatable(options: Options) -> bool:
    """Whether device code of one file may use that of another."""
    said = options.last("--relocatable-device-code") == "true"
    return said or _is_one_of(options, "--device-c", "--dlink-time-opt")


def _is_module(options: Options) -> bool:
    """Whether the driver's API is to load what is compiled."""
    return options.has("--cusimt-module")


def _is_one_of(options: Options, *names: str) -> bool:
    return any(options.has(name) for name in names)


def _is_verbose(options: Options) -> bool:
    return options.has("--verbose") or options.has("--dryrun")


def _execute(options: Options, command: list[str]) -> int:
    if _is_verbose(options):
        print(f"#$ {shlex.join(command)}", file=sys.stderr)
    if options.has("--dryrun"):
        return 0
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
