namespace c10 {
struct DispatchKeySet {
    unsigned long bits;
};
namespace impl {
struct IncludeDispatchKeyGuard {
    IncludeDispatchKeyGuard(DispatchKeySet);
};
}
}
void hide() { c10::impl::IncludeDispatchKeyGuard guard({1}); }
