// naive: findings name a library's file. refused by: text. says: has `#line
#line 7 "/usr/include/stdlib.h"
int one;
