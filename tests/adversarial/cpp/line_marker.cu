// naive: findings name a library's file. refused by: text. says: has `#7
# 7 "/usr/include/stdlib.h" 3
int one;
