"""CUDA C++ to host C++: the few things of the language that a header cannot provide.

Launches and their bounds, dynamic shared memory, what belongs to one file and `__noinline__` are rewritten in
place, calls of member templates get their keyword, conditions that end a loop are marked, and calls take and
return objects in memory by way of the caller's own. Every line stays where it was, so the compiler's messages
and the debug information name the learner's file. The rest is up to the headers (`cusimt/include`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cusimt.translate.architecture import decide_architecture
from cusimt.translate.assembly import rewrite_assembly
from cusimt.translate.assembly_conditions import write_out_conditions
from cusimt.translate.assembly_macros import Macros
from cusimt.translate.calls import declared_kernels, refuse_miscalls
from cusimt.translate.dialect import rewrite_dialect
from cusimt.translate.handed_objects import hand_over_objects
from cusimt.translate.kernel_casts import rewrite_kernel_casts
from cusimt.translate.launches import rewrite_launches
from cusimt.translate.linkage import rewrite_linkage
from cusimt.translate.module_kernels import announce_module_kernels
from cusimt.translate.ptx import HEADER
from cusimt.translate.rewrite import Refused, Rewrite, TranslationError
from cusimt.translate.shared_memory import rewrite_shared
from cusimt.translate.signatures import declarations
from cusimt.translate.source import Source
from cusimt.translate.template_calls import complete_template_calls
from cusimt.translate.unsupported import refuse_unsupported, runs_here, uses_texture_references
from cusimt.translate.variables import rewrite_variables
from cusimt.translate.wait_loops import mark_wait_loops

__all__ = ["TranslationError", "translate"]

_ON_DEVICE = ("__global__", "__device__")
TEXTURE_REFERENCES = "simt/texture_references.h"


def translate(
    source: str,
    filename: str,
    architecture: int = 900,
    others: Sequence[str] = (),
    relocatable: bool = False,
    module: bool = False,
) -> str:
    """The host C++ for a CUDA source file.

    `filename` is the name that messages and debug information show; `architecture` is the value of
    `__CUDA_ARCH__` in device code; `others` are sources that may define or use the same macros. Device
    functions and variables belong to their file, except in `relocatable` code. The kernels of a `module`
    announce themselves to the driver's API, which loads it. A source without them, without
    launches and without dynamic shared memory comes back unchanged below the first line,
    `#line 1 "filename"`.

    Raises TranslationError for what cannot run without a GPU (some PTX, mipmaps, launches from the device,
    clusters), and for a launch that is not whole.
    """
    has_assembly = has_texture_references = False
    kernels: set[str] = set()
    unplaced: set[str] = set()
    read = Source(source)  # replaced only by a pass that changes the text
    elsewhere = [Source(other) for other in others]
    macros = Macros((read, *elsewhere))
    try:
        runs = partial(runs_here, macros=macros)
        read = write_out_conditions(decide_architecture(read, architecture, runs))
        runs_on_device = any(stream.positions(word) for stream in read.streams for word in _ON_DEVICE)
        if runs_on_device:
            read = complete_template_calls(read, others)
        files = [read, *elsewhere] if runs_on_device else []
        program = declarations(stream for file in files for stream in file.streams)
        rewrite = Rewrite(read.text)
        for stream in read.streams:
            refuse_unsupported(stream)
            has_texture_references |= uses_texture_references(stream)
            declared = declared_kernels(stream)
            refuse_miscalls(stream, declared)
            has_assembly |= rewrite_assembly(stream, rewrite, macros)
            rewrite_launches(stream, rewrite)
            rewrite_dialect(stream, rewrite)  # before what may touch the same brace
            rewrite_shared(stream, rewrite)
            unplaced |= rewrite_variables(stream, rewrite)
            if module:
                announce_module_kernels(stream, rewrite)
            if not relocatable:
                rewrite_linkage(stream, rewrite)
            kernels |= declared.keys()  # the code comes before the macros
            rewrite_kernel_casts(stream, rewrite, kernels)
            if runs_on_device:
                mark_wait_loops(stream, rewrite)
                hand_over_objects(stream, rewrite, program)
        text = rewrite.result()
    except Refused as refused:
        line = Rewrite(read.text).line(refused.at)
        raise TranslationError(filename, line, refused.message, refused.rule, refused.next) from None
    shown = filename.replace("\\", "\\\\").replace('"', '\\"')
    headers = [HEADER] * has_assembly + [TEXTURE_REFERENCES] * has_texture_references
    header = "".join(f'#include "{each}"\n' for each in headers)
    names = "".join(f'"{name}\\0"' for name in sorted(unplaced))
    footer = f"\nSIMT_DEVICE_VARIABLES({names})\n" if names else ""
    return f'{header}#line 1 "{shown}"\n{text}{footer}'
