// naive: full marks; it can tell a grade from a lesson. refused by: symbols. says: uses `getenv
extern "C" char* getenv(const char*);
char* variable() { return getenv("CU2GRAD_CACHE"); }
