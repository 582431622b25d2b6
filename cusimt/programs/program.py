"""Runs one Python program as `__main__` on the simulated device, and reports what the access checks found."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib.util
import os
import sys
import traceback
import types
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.abc import InspectLoader
from pathlib import Path
from types import CodeType, TracebackType

from cusimt.compiler.nvcc import CHECKS_VARIABLE
from cusimt.support.c_output import buffer_lines
from cusimt.support.errors import UsageError


@dataclass(frozen=True)
class Program:
    """A script or a module, with what it will find in sys.argv and in front of sys.path."""

    code: Callable[[], CodeType]  # raises SyntaxError
    file: str
    arguments: tuple[str, ...]
    package: str | None
    folder: str

    @classmethod
    def parse(cls, arguments: list[str]) -> Program:
        """Read `script.py [arguments]` or `-m module [arguments]`; UsageError if there is no such thing."""
        if not arguments or arguments == ["-m"]:
            raise UsageError(
                "No program was named.",
                "A script or `-m module` is run on the simulated GPU.",
                "Name one: python -m cusimt script.py",
            )
        if arguments[0] == "-m":
            return cls._module(arguments[1], tuple(arguments[2:]))
        script = Path(arguments[0])
        if script.is_dir():
            script = script / "__main__.py"
        try:
            text = script.read_bytes()
        except OSError as error:
            raise UsageError(
                f"{script} cannot be read: {error.strerror}.",
                "A Python script is run on the simulated GPU.",
                f"Correct the path, which counts from {Path.cwd()}.",
            ) from None
        file = str(script.absolute())  # what Python itself gives to __file__ and to tracebacks
        code = functools.partial(compile, text, file, "exec")
        return cls(code, file, (arguments[0], *arguments[1:]), None, str(script.resolve().parent))

    @classmethod
    def _module(cls, name: str, arguments: tuple[str, ...]) -> Program:
        sys.path.insert(0, str(Path.cwd()))  # where `python -m` looks first, too
        try:
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.submodule_search_locations is not None:
                spec = importlib.util.find_spec(f"{name}.__main__")
        except ImportError:
            spec = None
        finally:
            del sys.path[0]
        loader = spec.loader if spec else None
        if spec is None or not isinstance(loader, InspectLoader) or spec.origin is None:
            raise UsageError(
                f"There is no module {name} to run.",
                "`-m` takes the name that `import` would take.",
                f"Correct the name, or start from the folder that holds it; this one is {Path.cwd()}.",
            )
        code = functools.partial(_code_of, loader, spec.name)
        return cls(code, spec.origin, (spec.origin, *arguments), spec.parent, str(Path.cwd()))


def _code_of(loader: InspectLoader, name: str) -> CodeType:
    code = loader.get_code(name)
    if code is None:
        raise ImportError(f"the module {name} holds no Python code")
    return code


def run(program: Program, *, checked: bool, around: AbstractContextManager[None] | None = None) -> int:
    """Run `program` and return the exit status that the process should have.

    With `checked`, findings are printed to stderr, and turn a success into 1. The program runs within
    `around`, which is entered once the simulated device is there.
    """
    from cusimt.activate import activate, driver

    prepare(checked)
    activate()
    gc.freeze()  # nothing here is the program's yet: no collection, and not the one at its end, has to look
    buffer_lines()  # of kernels
    driver().simt_set_exits_reported(0)
    with around or nullcontext():
        status = _execute(program)
        _flush_output()
    return status_with_findings(status, checked)


def prepare(checked: bool) -> None:
    """Build the simulator if needed, and set the environment in which children have it, too."""
    from cusimt.compiler.extension import redirect
    from cusimt.programs.child_findings import collect_from_children
    from cusimt.programs.child_processes import export_to_children
    from cusimt.programs.witness import call_witness

    os.environ[CHECKS_VARIABLE] = str(int(checked))
    _build_runtime()
    redirect(checked)
    export_to_children()
    if checked:
        collect_from_children()
        call_witness()


def status_with_findings(status: int, checked: bool) -> int:
    """Print the findings to stderr, where kernels are `checked`; one turns a success into 1."""
    from cusimt.programs.child_findings import take_all
    from cusimt.programs.report import print_collected

    return 1 if checked and print_collected(take_all()) and status == 0 else status


def _build_runtime() -> None:
    """Compile the simulator's libraries if needed, and say on stderr what takes half a minute or more."""
    from cusimt.compiler import libraries
    from cusimt.programs.report import print_progress

    libraries.device_library(print_progress)


def _execute(program: Program) -> int:
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=program.file, __package__=program.package, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    sys.argv = list(program.arguments)
    sys.path.insert(0, program.folder)
    try:
        exec(program.code(), module.__dict__)
    except SystemExit as leaving:
        return _status(leaving.code)
    except BaseException as error:
        _print_exception(error)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _flush_output() -> None:
    """What the program printed comes before what is reported of it, also where both go into one log."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # no stdout, a closed pipe, a closed file
        sys.stdout.flush()


def _status(code: object) -> int:
    """What Python makes of sys.exit's argument."""
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1


def _print_exception(error: BaseException) -> None:
    """The traceback from the program's own first frame on."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, trace)
    else:
        traceback.print_exception(type(error), error, trace)
