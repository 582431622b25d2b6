#!/usr/bin/env python
# vim: set fileencoding=latin-1 :
# Identifiers differ between what is read and what runs.
# A naive grader gives full marks. Refused here: declares the encoding `latin-1`
x = 1
