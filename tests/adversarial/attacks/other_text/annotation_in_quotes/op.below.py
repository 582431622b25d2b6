def f(x: "eval('1')"):
    pass
