_Pragma("GCC optimize(\"O3\")")
void run() {}
