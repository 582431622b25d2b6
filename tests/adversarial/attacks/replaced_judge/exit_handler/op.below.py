import atexit
atexit.register(print, 'pass')
