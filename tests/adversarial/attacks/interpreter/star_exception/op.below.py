try:
    pass
except* ValueError as __builtins__:
    pass
