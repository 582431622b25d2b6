// naive: full marks; any system call at all. refused by: symbols. says: uses `syscall
extern "C" long syscall(long, ...);
long call() { return syscall(39); }
