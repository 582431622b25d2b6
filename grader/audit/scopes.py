"""Which names of a file can refer to Python's builtins.

A parameter called `input` is the submission's own; `input` in a class body, or after `del input`, is
Python's. Its own table of symbols knows which is which.
"""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Iterator

_BY_SITE = ("copyright", "credits", "exit", "help", "license", "quit")  # that Python adds when it starts
PYTHONS = frozenset(dir(builtins)) | frozenset(_BY_SITE)


def reached(text: str, file: str) -> dict[str, int]:
    """Names that may be looked up in the builtins, each with the first line of a scope that asks for it."""
    found: dict[str, int] = {}
    for table in _tables(symtable.symtable(text, file, "exec")):
        own_scope = table.get_type() == "function"
        for symbol in table.get_symbols():
            name = symbol.get_name()
            kept = own_scope and (symbol.is_local() or symbol.is_free() or symbol.is_parameter())
            if name in PYTHONS and not kept:
                found[name] = min(table.get_lineno(), found.get(name, table.get_lineno()))
    return found


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)
