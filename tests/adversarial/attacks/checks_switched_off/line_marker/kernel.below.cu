# 7 "/usr/include/stdlib.h" 3
int one;
