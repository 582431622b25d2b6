import functools
choose = functools.singledispatch(len)
