"""Whether a test measures time, by the source of the suite."""

from __future__ import annotations

import ast

_READERS = frozenset({"elapsed_time"})  # a suite may not import `time`: events are its only clock


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
        names = {
            node.attr if isinstance(node, ast.Attribute) else node.id
            for node in ast.walk(functions[name])
            if isinstance(node, ast.Attribute | ast.Name)
        }
        if names & _READERS:
            return True
        waiting.extend(names)
    return False
