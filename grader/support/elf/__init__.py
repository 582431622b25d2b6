"""ELF files as the dynamic loader reads them: segments and the dynamic table, never section headers.

Section headers are for linkers and debuggers. The loader ignores them, so a library can carry section headers
that describe other symbols than those that it is loaded with.
"""

from grader.support.elf.image import Malformed
from grader.support.elf.library import Library, Symbol, read_library
from grader.support.elf.relocatable import symbols_of

__all__ = ["Library", "Malformed", "Symbol", "read_library", "symbols_of"]
