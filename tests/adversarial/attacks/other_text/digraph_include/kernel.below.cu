%:include <dlfcn.h>
void* find(const char* name) { return dlsym(nullptr, name); }
