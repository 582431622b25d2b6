"""A process that compiles device code with NVRTC: requests on its standard input, answers on its output.

Each is a line of JSON. A request has `source`, `name`, `headers` (texts by name), `options` and
`expressions`, which name kernels; an answer has `ptx` and the `symbols` of the kernels in it, in the order of
the request, or `log`, which says why there is none. It ends with its input.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Nvrtc:
    """NVIDIA's library, as much of it as is needed here."""

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)

    def version(self) -> tuple[int, int]:
        """Major and minor, which are those of the CUDA toolkit."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return major.value, minor.value

    def compiled(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        with self._program(asked) as program:
            for expression in asked["expressions"]:
                self._library.nvrtcAddNameExpression(program, expression.encode())
            options = _strings(asked["options"])
            if self._library.nvrtcCompileProgram(program, len(options), options) != 0:
                return {"log": self._text(program, "ProgramLog")}
            symbols = [self._symbol(program, expression) for expression in asked["expressions"]]
            return {"ptx": self._text(program, "PTX"), "symbols": symbols}

    @contextmanager
    def _program(self, asked: dict[str, Any]) -> Iterator[ctypes.c_void_p]:
        program, headers = ctypes.c_void_p(), asked["headers"]
        self._library.nvrtcCreateProgram(
            ctypes.byref(program), asked["source"].encode(), asked["name"].encode(), len(headers),
            _strings(headers.values()), _strings(headers),
        )  # fmt: skip
        try:
            yield program
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(program))

    def _text(self, program: ctypes.c_void_p, what: str) -> str:
        size = ctypes.c_size_t()
        getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(self._library, f"nvrtcGet{what}")(program, text)
        return text.value.decode()

    def _symbol(self, program: ctypes.c_void_p, expression: str) -> str:
        name = ctypes.c_char_p()
        self._library.nvrtcGetLoweredName(program, expression.encode(), ctypes.byref(name))
        return (name.value or b"").decode()


def _strings(texts: Any) -> Any:
    encoded = [text.encode() for text in texts]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def main() -> None:
    nvrtc = Nvrtc(sys.argv[1])
    print(json.dumps(nvrtc.version()), flush=True)
    for line in sys.stdin:
        print(json.dumps(nvrtc.compiled(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
