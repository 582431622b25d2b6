# A builtin hidden in the default of a parameter.
# A naive grader gives full marks. Refused here: uses `getattr`
def f(x, get=getattr):
    return get(x, "cpu")
