# An annotation in quotes is code for whoever evaluates it.
# A naive grader gives full marks. Refused here: uses `eval`
def f(x: "eval('1')"):
    pass
