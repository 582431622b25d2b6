# A dunder as the name of an argument.
# A naive grader gives full marks. Refused here: uses `__class__`
x = dict(__class__=int)
