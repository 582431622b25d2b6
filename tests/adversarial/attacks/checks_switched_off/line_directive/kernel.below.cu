#line 7 "/usr/include/stdlib.h"
int one;
