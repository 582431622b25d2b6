__import__('ctypes')
