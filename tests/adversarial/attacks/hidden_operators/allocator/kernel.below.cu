namespace c10 { struct Allocator; enum class DeviceType : signed char;
void SetAllocator(DeviceType, Allocator*, unsigned char); }
void replace(c10::Allocator* mine) { c10::SetAllocator(static_cast<c10::DeviceType>(0), mine, 0); }
