"""The `grader` command.

`commands` lists the commands, `app` imports the options of the one that is called, and that one imports its
room. `fast_start` answers `grader list` and `grader next` without typer.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from pathlib import Path
from typing import NoReturn

from grader.support import machine
from grader.support.errors import ExplainedError, ToolchainError

__all__ = ["main", "run"]

# New objects between two collections. Most are those of imported packages, which stay: by default the
# collector takes a tenth of a command's processor time to go through them.
LESS_OFTEN = 100_000
INTERRUPTED = 130  # what a shell expects of a program that Ctrl-C ended


def main() -> int:
    """Runs the command in ``sys.argv`` and returns its exit code; an ExplainedError without a traceback."""
    from grader.cli.fast_start import answered

    try:
        if not answered(sys.argv[1:]):
            from grader.cli.app import app

            app(prog_name="grader")  # also as `python -m grader`
        return 0
    except SystemExit as leaving:
        return _left_with(leaving.code)
    except KeyboardInterrupt:
        return _left_with(INTERRUPTED)
    except ExplainedError as error:
        _print_error(error)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output left, as `head` does; point stdout away so that exiting stays quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and (missing := _requirement(error)):
            _print_error(missing)
            return missing.exit_code
        fault = machine.fault_of(error) if isinstance(error, OSError) else None
        if fault is not None:
            _print_error(fault)
            return fault.exit_code
        _print_own_fault(error)
        return ExplainedError.exit_code


def run() -> NoReturn:
    """`main` as a process. Taking an interpreter apart that holds torch costs a third of a second, after the
    verdict is printed and stored: leave without it.
    """
    gc.set_threshold(LESS_OFTEN)
    code = main()
    if "torch" in sys.modules:
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _left_with(code: object) -> int:
    """The exit code that typer chose; Ctrl-C gets a sentence."""
    if code == INTERRUPTED:
        print("Interrupted. What was finished is kept; the same command does the rest.", file=sys.stderr)
    return code if isinstance(code, int) else int(bool(code))


def _requirement(error: ModuleNotFoundError) -> ToolchainError | None:
    """The sentences for a package that the grader needs and this Python lacks; None for its own modules."""
    package = (error.name or "").partition(".")[0]
    if not package or package in {"grader", "cusimt"} | sys.stdlib_module_names:
        return None
    return ToolchainError(
        f"{package} is not installed in this Python, {sys.executable}.",
        "The grader runs in the environment that `make demo` sets up, or that it was installed into.",
        "Activate it with: source .venv/bin/activate. "
        "Or install what is missing: python -m pip install -c constraints.txt -e .",
    )


def _print_error(error: ExplainedError) -> None:
    print("\n".join(part for part in (error.what, error.rule, error.next) if part), file=sys.stderr)


def _print_own_fault(error: Exception) -> None:
    """A mistake in the grader: one sentence for the user, and the traceback in a file for a report."""
    import datetime
    import traceback

    from cusimt.support import cache

    print(f"The grader itself failed: {type(error).__name__}: {error}", file=sys.stderr)
    print("This is not the fault of your code, and no verdict was changed by it.", file=sys.stderr)
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    path = Path(cache.cache_root()) / "faults" / f"{stamp}-{os.getpid()}.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except OSError:
        traceback.print_exception(error)
        return
    print(f"Run: grader doctor. If all is well there, report it with {path}", file=sys.stderr)
