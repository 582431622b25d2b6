// naive: full marks; it finds the recorder in memory. refused by: symbols. says: uses `VTT for std::basic_ifstream
#include <fstream>
bool read() { return std::ifstream("/proc/self/maps").good(); }
