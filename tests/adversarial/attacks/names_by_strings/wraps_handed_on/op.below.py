import functools
copy = functools.wraps
