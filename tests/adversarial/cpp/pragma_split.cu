// naive: full marks; checks are compiled away. refused by: spelling. says: in the next line
#prag\
ma GCC optimize("O3")
void run() {}
