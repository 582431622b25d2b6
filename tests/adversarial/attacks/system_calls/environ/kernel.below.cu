extern "C" { extern char** environ; }
char** variables() { return environ; }
