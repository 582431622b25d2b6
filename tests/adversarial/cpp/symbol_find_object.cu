// naive: full marks; it says where a library is. refused by: symbols. says: uses `_dl_find_object
extern "C" int _dl_find_object(void*, void*);
int look(void* at, void* found) { return _dl_find_object(at, found); }
