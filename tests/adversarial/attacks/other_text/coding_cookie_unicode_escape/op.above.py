# -*- coding: unicode_escape -*-
# \nimport ctypes
