// naive: full marks; PyTorch starts the thread. refused by: symbols. says: uses `at::launch
#include <functional>
namespace at { void launch(std::function<void()>); }
void start() { at::launch([] {}); }
