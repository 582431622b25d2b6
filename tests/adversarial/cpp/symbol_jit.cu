// naive: full marks; a program from a file. refused by: symbols. says: uses `torch::jit::load
#include <string>
namespace torch::jit { struct Module; void load(const std::string&); }
void work() { torch::jit::load("model.pt"); }
