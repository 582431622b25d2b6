# -*- coding: unicode_escape -*-
# The interpreter finds the end of the comment in the escape.
# A naive grader gives full marks. Refused here: declares the encoding `unicode_escape`
# \nimport ctypes
