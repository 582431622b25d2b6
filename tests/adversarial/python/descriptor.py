# A descriptor answers for an attribute.
# A naive grader gives full marks. Refused here: uses `__get__`
class Late:
    def __get__(self, instance, owner):
        return owner
