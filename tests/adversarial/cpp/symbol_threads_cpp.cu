// naive: full marks; work goes on between calls. refused by: symbols. says: uses `std::thread::_M_start_thread
#include <thread>
void start() { std::thread([] {}).detach(); }
