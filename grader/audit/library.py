"""The built library by its symbols: what it asks the system and the GPU for, however the source says it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from grader.audit.elf import dynamic_symbols
from grader.audit.objection import Objection

_RULE = "A kernel and its binding compute; they do not reach into the program that judges them."

# Finding code, other processes, memory protection, files, the network, threads, signals.
_SYSTEM = re.compile(
    r"dlopen|dlm?v?sym|dlmopen|dladdr1?|dlinfo|dl_iterate_phdr|ptrace|process_vm_\w+|v?fork|clone3?|exec[lv]\w*|fexecve|"
    r"posix_spawn\w*|system|popen|syscall|prctl|mprotect|mmap(64)?|mremap|munmap|pkey_\w+|memfd_create|shm_open|"
    r"(f|fd|fre)open(64)?|open(at)?(64)?|creat(64)?|__open(at)?(64)?_2|pread(64)?|pwrite(64)?|readlink\w*|rename\w*|"
    r"unlink(at)?|f?truncate(64)?|socket(pair)?|connect|bind|send(to|msg|mmsg)?|recv(from|msg|mmsg)?|kill|tg?kill|"
    r"sigaction|signal|sigaltstack|longjmp|siglongjmp|[sg]etcontext|swapcontext|makecontext|pthread_create|"
    r"pthread_atfork|__register_atfork|__libc_dlopen_mode|getauxval|environ|atexit|quick_exit|backtrace"
)
_CPP = re.compile(r"_ZNS?t?S?t?\w*(basic_[io]?fstream|basic_filebuf|10filesystem)\w*|_ZNSt6thread\w*")
_INTERPRETER = re.compile(
    r"_?Py(Run|Eval_EvalCode|Eval_SetTrace|Eval_SetProfile|Import_Add|Sys|Marshal|Compile)\w*"
)
_CONTROLS = re.compile(
    r"simt_(mark_written|copy_marks|writers|take_\w+|reset\w*|set_schedule|set_watchdog|set_exits_reported|sticky_error|last_error|memory\w*|"
    r"allocate|release|shield\w*|set_current_stream|set_device)"
)
# Libraries of ready-made loops: on simt a kernel could call them, on a GPU it could not.
_READY_MADE = re.compile(
    r"cblas_\w+|[sdcz](gemm|gemv|ger|axpy|scal|dot)_?|mkl_\w+|LAPACKE_\w+|v[sd][A-Z]\w+|"
    r"_ZNK?2at(6native(?!20canUse32BitIndexMath)|3cpu)\w*"  # which only asks
)
_CHANGES_TORCH = re.compile(r"_ZNK?3c1010Dispatcher\w*|_ZN5torch17RegisterOperators\w*")

_REASONS = (
    (_SYSTEM, "asks the system for"),
    (_CPP, "asks the C++ library for files or threads, by"),
    (_INTERPRETER, "runs Python by"),
    (_CONTROLS, "operates the simulated GPU by"),
    (_READY_MADE, "leaves the work to a library, by"),
    (_CHANGES_TORCH, "changes PyTorch's own operators by"),
)
# What the grader's own part of a library may offer is its array of shared memory.
_OFFERED = re.compile(r"simt_(?!dynamic_shared)\w+|__tsan_\w+|cuda[A-Z]\w*|Py(?!Init_)[A-Z]\w*")


def audit(library: Path, is_python_module: bool) -> Iterator[Objection]:
    """Objections to a built library; a library without Python's face has no use for Python at all."""
    for symbol in dynamic_symbols(library):
        if symbol.defined:
            if _OFFERED.fullmatch(symbol.name):
                yield Objection(library.name, 0, f"defines `{symbol.name}`, which others define", _RULE)
            continue
        for pattern, words in _REASONS:
            if pattern.fullmatch(symbol.name):
                yield Objection(library.name, 0, f"{words} `{symbol.name}`", _RULE)
        if not is_python_module and re.match(r"_?Py[A-Z]", symbol.name):
            yield Objection(library.name, 0, f"asks the interpreter for `{symbol.name}`", _RULE)
