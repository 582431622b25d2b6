class Late:
    import math as __getattr__
