# coding: utf-7
# The interpreter decodes the comment as UTF-7 and finds an import in it.
# A naive grader gives full marks. Refused here: declares the encoding `utf-7`
#+AAo-import ctypes
