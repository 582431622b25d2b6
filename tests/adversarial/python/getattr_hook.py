# Every attribute is what the checker wants.
# A naive grader gives full marks. Refused here: uses `__getattr__`
class Late:
    def __getattr__(self, name):
        return True
