FLAGS = ['-fno-sanitize=thread']
