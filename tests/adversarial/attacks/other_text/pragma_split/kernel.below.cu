#prag\
ma GCC optimize("O3")
void run() {}
