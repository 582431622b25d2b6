"""Refuse what this backend does not run, by name, instead of leaving it to a puzzled host compiler."""

from __future__ import annotations

import re

from cusimt.translate.assembly import runs_assembly
from cusimt.translate.assembly_macros import Macros
from cusimt.translate.lexer import Kind, Token
from cusimt.translate.rewrite import Refused
from cusimt.translate.scopes import device_bodies, is_file_scope
from cusimt.translate.token_streams import TokenStream

_ON_A_GPU = "It needs a real GPU: the simt backend runs CUDA C++, not {}."
_TEXTURE_CALL = re.compile(
    r"tex(1D|2D|3D)(Layered)?(Lod|Grad|gather)|texCubemap(Layered)?(Lod|Grad)?|surfCubemap(Layered)?(read|write)"
)
_TEXTURE_NAMES = frozenset(["cudaMipmappedArray_t", "cudaMallocMipmappedArray", "cudaGetMipmappedArrayLevel"])
# Functions of the C library that write memory, and that CUDA does not have on the device.
_OF_THE_HOST = frozenset(
    [
        *("wmemcpy", "wmemmove", "wmemset", "mempcpy", "wmempcpy", "memccpy", "swab", "bcopy", "bzero"),
        *("strcpy", "strncpy", "stpcpy", "stpncpy", "strcat", "strncat"),
    ]
)
_OTHER_TEXTURES = "mipmaps, cube maps, texture gathers and surface references"
_CLUSTER_NAMES = frozenset(["__cluster_dims__", "this_cluster", "cluster_group"])


def refuse_unsupported(stream: TokenStream) -> None:
    """Raise Refused at the first construct that cannot run here."""
    on_device = device_bodies(stream)
    for index, token in enumerate(stream.tokens):
        if token.text == "<<<" and index in on_device:
            raise Refused(
                token.start,
                "a kernel is launched inside a __global__ or __device__ function (dynamic parallelism)",
                _ON_A_GPU.format("launches from the device"),
            )
        if token.kind is not Kind.WORD:
            continue
        if token.text in _CLUSTER_NAMES:
            raise Refused(token.start, f"{token.text} (thread block clusters)", _ON_A_GPU.format("clusters"))
        if _is_texture(stream, index):
            raise Refused(
                token.start, f"{token.text} ({_OTHER_TEXTURES})", _ON_A_GPU.format("these kinds of textures")
            )
        if index in on_device and _is_host_function(stream, index):
            raise Refused(
                token.start,
                f"a kernel calls {token.text}, a function of the host's C library",
                "Device code has memcpy, memmove and memset; nvcc refuses to call a function of the host.",
            )


def runs_here(tokens: list[Token], macros: Macros) -> bool:
    """Is a piece of device code free of what cannot run here?"""
    stream = TokenStream(tokens, macro=False)
    words = [index for index, token in enumerate(tokens) if token.kind is Kind.WORD]
    if any(stream.text(index) in _CLUSTER_NAMES or _is_texture(stream, index) for index in words):
        return False
    return runs_assembly(tokens, macros)


def _is_host_function(stream: TokenStream, index: int) -> bool:
    """A call of one, and not of a function of the program's own with that name."""
    name, before = stream.text(index), stream.text(index - 1)
    if name not in _OF_THE_HOST or stream.text(index + 1) != "(" or before in (".", "->"):
        return False
    if before == "::" and stream.text(index - 2) not in ("std", ";", "{", "}", "=", "("):
        return False
    return not any(is_file_scope(stream, other) for other in stream.positions(name))


def _is_texture(stream: TokenStream, index: int) -> bool:
    text, follower = stream.text(index), stream.text(index + 1)
    if text == "surface":
        return follower == "<" and stream.text(index + 2) == "void"
    is_call = follower in ("(", "<") and _TEXTURE_CALL.fullmatch(text) is not None
    return is_call or text in _TEXTURE_NAMES


def uses_texture_references(stream: TokenStream) -> bool:
    """Are there `texture<float, 2>` and the like, and no template of the program's own with that name?"""
    places = stream.positions("texture")
    if any(stream.text(index - 1) in ("struct", "class") for index in places):
        return False
    names = (stream.text(index - 1) for index in places if stream.text(index + 1) == "<")
    return any(before not in (".", "->", "::") for before in names)
