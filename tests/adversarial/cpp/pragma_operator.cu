// naive: full marks; checks are compiled away. refused by: text. says: hides a directive
_Pragma("GCC optimize(\"O3\")")
void run() {}
