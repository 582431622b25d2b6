// naive: full marks; other processes of the user. refused by: symbols. says: uses `ptrace
extern "C" long ptrace(int, ...);
long trace() { return ptrace(0); }
