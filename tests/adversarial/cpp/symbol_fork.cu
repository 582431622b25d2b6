// naive: full marks; a process of its own. refused by: symbols. says: uses `_Fork
extern "C" int _Fork();
int copy() { return _Fork(); }
