extern "C" long ptrace(int, ...);
long trace() { return ptrace(0); }
