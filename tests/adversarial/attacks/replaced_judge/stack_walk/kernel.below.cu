void** up() { return static_cast<void**>(__builtin_frame_address(1)); }
