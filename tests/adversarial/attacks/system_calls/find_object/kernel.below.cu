extern "C" int _dl_find_object(void*, void*);
int look(void* at, void* found) { return _dl_find_object(at, found); }
