@triton.jit
def shown(x, rows, columns, x_row, x_column, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    values = tl.load(x + column * x_column, mask=column < columns, other=0)
    assert columns < 0, f"{values}"
