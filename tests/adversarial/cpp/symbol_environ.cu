// naive: full marks; it reads what the worker was started with. refused by: symbols. says: uses `environ
extern "C" { extern char** environ; }
char** variables() { return environ; }
