import ctypes
ctypes.string_at(0x7ffc00000000, 4096)
