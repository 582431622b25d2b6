"""Runs programs on the simulated GPU.

    python -m cusimt [options] script.py [arguments]     a Python program
    python -m cusimt [options] -m module [arguments]     the same, as a module
    python -m cusimt [options] -- command [arguments]    any command, such as `make test`
    python -m cusimt doctor                              what this machine has and lacks
    python -m cusimt --version                           the version of the simulator

A program sees what it would see under plain Python (sys.argv, __main__, exit status), but torch has a `cuda`
device, and torch.utils.cpp_extension builds kernels for it. A command runs with the simulated toolkit's nvcc
first on PATH, and the Pythons that it starts have the device. What the access checks found is printed at the
end; then the exit status is 1 even if the program itself succeeded.

--no-checks         compile kernels without access checks: they run several times as fast, and several OS
                    threads share the blocks of a launch (CUSIMT_THREADS, default: all processors)
--profile[=FILE]    count what each source line of each kernel does to memory, and print it when the program
                    ends; into FILE goes an HTML page with pictures, or JSON if its name ends in .json
--schedules=N       run it N times, each time with the blocks and threads in another order: forward, reversed,
                    then seeded orders, the same ones every time
--strict            also report plain reads beside atomics, which are races by CUDA's memory model and nearly
                    always harmless
--sample-blocks=N   run N blocks of each launch and skip the others, for findings and profiles of a program
                    that is too large here. What it computes and prints is not its result
--watchdog=SECONDS  processor time after which a kernel is stopped in which no thread gets any further (120)
"""

from __future__ import annotations

import itertools
import os
import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from cusimt import __version__
from cusimt.programs.program import Program, run
from cusimt.programs.schedules import (
    SAMPLE_VARIABLE,
    STRICT_VARIABLE,
    WATCHDOG_VARIABLE,
    check_environment,
    take_option,
    wrong_value,
)
from cusimt.support.errors import ExplainedError, UsageError

USAGE = (
    "usage: python -m cusimt [--no-checks | --profile[=FILE]] [--schedules=N] [--strict] [--sample-blocks=N] "
    "[--watchdog=SECONDS] {script.py | -m module | -- command} [arguments], or: python -m cusimt doctor"
)

_VARIABLES = {"--sample-blocks": SAMPLE_VARIABLE, "--watchdog": WATCHDOG_VARIABLE}


@dataclass(frozen=True)
class Chosen:
    """The options: `profile` is the file of --profile, `""` without one, None without --profile."""

    checked: bool = True
    profile: str | None = None
    schedules: int = 1


def main(arguments: list[str]) -> int:
    own = itertools.takewhile(lambda word: word.startswith("--") and word not in ("--", "--help"), arguments)
    options = list(own)
    rest = arguments[len(options) :]
    if rest and rest[0] in ("-h", "--help"):
        print(f"{USAGE}\n\n{__doc__}")
        return 0
    if arguments == ["--version"]:
        print(f"cusimt {__version__}")
        return 0
    try:
        if arguments[:1] == ["doctor"] and not Path("doctor").exists():
            return _doctor(arguments[1:])
        chosen = _read(options)
        check_environment()
        if rest[:1] == ["--"]:
            return _command(rest[1:], chosen)
        program = Program.parse(rest)
        if chosen.schedules > 1:  # each in a process of its own
            return _command([sys.executable, *rest], chosen)
        title = rest[1] if rest[0] == "-m" else Path(program.file).name
        return run(program, checked=chosen.checked, around=_profiling(chosen.profile, title))
    except ExplainedError as error:
        print(f"{error}\n{USAGE}" if error.exit_code == 2 else error, file=sys.stderr)
        return error.exit_code


def _doctor(others: list[str]) -> int:
    if others:
        raise UsageError(
            f"doctor takes nothing behind it: {shlex.join(others)}.",
            "It looks at this machine and at this Python.",
            "Run: python -m cusimt doctor",
        )
    from cusimt.doctor import examine

    return examine()


def _command(words: list[str], chosen: Chosen) -> int:
    if chosen.profile is not None:
        raise UsageError(
            "--profile does not work with a command.",
            "It profiles one run of one Python program, so it does not go with --schedules either.",
            "Name the program: python -m cusimt --profile script.py",
        )
    from cusimt.programs.command import run_command

    return run_command(words, checked=chosen.checked, schedules=chosen.schedules)


def _read(options: list[str]) -> Chosen:
    chosen = Chosen()
    for option in options:
        name, equals, value = option.partition("=")
        if option == "--no-checks":
            chosen = replace(chosen, checked=False)
        elif option == "--strict":
            os.environ[STRICT_VARIABLE] = "1"
        elif name in ("--no-checks", "--strict"):
            raise wrong_value(option, "no value")
        elif name == "--profile":
            if equals and not value:
                raise wrong_value(option, "the name of a file, or no value")
            chosen = replace(chosen, profile=value)
        elif name == "--schedules":
            if not (value.isdecimal() and int(value)):
                raise wrong_value(option, "the number of runs")
            chosen = replace(chosen, schedules=int(value))
        elif name in _VARIABLES:
            take_option(_VARIABLES[name], option, value)
        else:
            raise UsageError(
                f"There is no option {option}.",
                "Options of the program come after its name.",
                "All options: python -m cusimt --help",
            )
    if chosen.profile is not None and not chosen.checked:
        raise UsageError(
            "--profile and --no-checks exclude each other.",
            "The access checks count.",
            "Leave out --no-checks.",
        )
    if os.environ.get(SAMPLE_VARIABLE) and not chosen.checked:
        raise UsageError(
            "--sample-blocks and --no-checks exclude each other.",
            "A sampled run is for findings and profiles, which the access checks make.",
            f"Leave out one of them, or unset {SAMPLE_VARIABLE}.",
        )
    if chosen.profile and Path(chosen.profile).is_dir():
        raise wrong_value(f"--profile={chosen.profile}", "the name of a file, and this is a folder")
    if chosen.profile and not Path(chosen.profile).absolute().parent.is_dir():
        raise UsageError(
            f"{chosen.profile} cannot be written.",
            "The folder of the file has to exist.",
            f"Create it: mkdir -p {shlex.quote(str(Path(chosen.profile).parent))}",
        )
    return chosen


def _profiling(profile: str | None, title: str) -> AbstractContextManager[None]:
    """What the program called `title` runs within: counting, where it is asked for."""
    if profile is None:
        return nullcontext()
    from cusimt.profile.program import profiled

    return profiled(title, Path(profile).absolute() if profile else None)  # it may change the folder


def command_line() -> None:
    """The command `cusimt`."""
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.exit(status)


if __name__ == "__main__":
    command_line()
