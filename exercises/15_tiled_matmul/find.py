"""Given: one launch of the kernel in find.cu, to be profiled.

Run it with the sizes that ``grader check 15`` names, in the order m, k, n, tile::

    python -m cusimt --profile find.py 64 96 160 16
"""

import sys

import grader

find = grader.load("find", ["find.cu"])

if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit("usage: python -m cusimt --profile find.py M K N TILE")
    m, k, n, tile = map(int, sys.argv[1:])
    find.product(m, k, n, tile)
