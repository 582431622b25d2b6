# Code in a string.
# A naive grader gives full marks. Refused here: uses `exec`
exec("import ctypes")
