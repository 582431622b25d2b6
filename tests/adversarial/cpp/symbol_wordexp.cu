// naive: full marks; a shell by the name of expansion. refused by: symbols. says: uses `wordexp
extern "C" int wordexp(const char*, void*, int);
int run(void* into) { return wordexp("\$(id)", into, 0); }
