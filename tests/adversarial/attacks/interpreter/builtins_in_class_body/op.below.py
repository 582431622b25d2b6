def f(eval):
    class Late:
        x = eval

class More:
    y = exec
