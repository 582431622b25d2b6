# In a class body a parameter of the same name does not count.
# A naive grader gives full marks. Refused here: uses `eval`
def f(eval):
    class Late:
        x = eval

class More:
    y = exec
