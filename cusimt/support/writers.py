"""Who wrote a byte of device memory last, in the order in which `simt_writers` counts."""

__all__ = ["WRITERS"]

WRITERS = ("unwritten", "kernel", "library", "copy", "memset", "host")
