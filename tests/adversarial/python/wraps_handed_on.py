# `wraps` under another name.
# A naive grader gives full marks. Refused here: uses `functools.wraps` in another form
import functools
copy = functools.wraps
