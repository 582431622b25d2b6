[[gnu::no_sanitize("thread")]] void f() {}
