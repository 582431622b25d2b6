// naive: full marks, with dlsym at hand. refused by: spelling. says: has the digraph `%:`
%:include <dlfcn.h>
void* find(const char* name) { return dlsym(nullptr, name); }
