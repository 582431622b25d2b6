"""Whether a test measures time, or memory at a moment that differs from run to run, by the suite's source."""

from __future__ import annotations

import ast

_READERS = frozenset({"elapsed_time"})  # a suite may not import `time`: events are its only clock
_COUNTERS = frozenset({"memory_allocated", "memory_stats", "memory_reserved"})
_BACKWARDS = frozenset({"backward", "grad", "gradcheck", "check_gradients"})


def measures_time(source: str, test: str) -> bool:
    """Whether the function `test`, or one of the file's own that it calls, reads a clock.

    `test` may be followed by its parameters in square brackets.
    """
    functions = {node.name: node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}
    waiting, seen = [test.partition("[")[0].rpartition("::")[2]], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in functions:
            continue
        seen.add(name)
        names = _names(functions[name])
        if names & _READERS:
            return True
        waiting.extend(names)
    return False


def counts_memory_after_backward(source: str, line: int) -> bool:
    """Whether memory is counted behind a backward, in the function that `line` is in and down to it.

    A thread of autograd, which ran the backward, drops what it holds a moment after the call has returned.
    """
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef) and function.lineno <= line <= (function.end_lineno or 0):
            calls = [
                (each.lineno, _names(each.func)) for each in ast.walk(function) if isinstance(each, ast.Call)
            ]
            backwards = [at for at, names in calls if at <= line and names & _BACKWARDS]
            if any(names & _COUNTERS and min(backwards, default=line) < at <= line for at, names in calls):
                return True
    return False


def _names(inside: ast.AST) -> set[str]:
    return {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(inside)
        if isinstance(node, ast.Attribute | ast.Name)
    }
