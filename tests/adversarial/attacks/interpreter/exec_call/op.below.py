exec("import ctypes")
