#!/usr/bin/env python
# vim: set fileencoding=latin-1 :
x = 1
