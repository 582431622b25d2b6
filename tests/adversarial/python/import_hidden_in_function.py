# The import is in a function that the checks never call.
# A naive grader gives full marks. Refused here: imports `os`
def f():
    import os
    return os.environ
