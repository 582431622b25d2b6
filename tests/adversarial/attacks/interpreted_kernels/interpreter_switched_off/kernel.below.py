triton.knobs.runtime.interpret = False
