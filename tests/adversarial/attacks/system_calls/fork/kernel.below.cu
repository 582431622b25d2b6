extern "C" int _Fork();
int copy() { return _Fork(); }
