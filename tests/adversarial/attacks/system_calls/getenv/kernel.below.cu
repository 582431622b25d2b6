extern "C" char* getenv(const char*);
char* variable() { return getenv("CUSIMT_CACHE"); }
