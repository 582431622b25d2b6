// naive: full marks; operators go another way. refused by: symbols. says: uses `c10::impl::IncludeDispatchKeyGuard
namespace c10::impl { struct IncludeDispatchKeyGuard { IncludeDispatchKeyGuard(unsigned long); }; }
void hide() { c10::impl::IncludeDispatchKeyGuard guard(1); }
