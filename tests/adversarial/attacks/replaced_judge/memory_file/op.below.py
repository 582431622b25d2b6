memory = open('/proc/self/mem', 'r+b', 0)
