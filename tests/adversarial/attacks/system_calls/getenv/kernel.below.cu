extern "C" char* getenv(const char*);
char* variable() { return getenv("CU2GRAD_CACHE"); }
