extern "C" int thrd_create(unsigned long*, int (*)(void*), void*);
int start(unsigned long* id, int (*body)(void*)) { return thrd_create(id, body, nullptr); }
