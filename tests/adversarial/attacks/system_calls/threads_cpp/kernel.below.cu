#include <thread>
void start() { std::thread([] {}).detach(); }
