template <int N>
struct Endless {
    static constexpr int value = Endless<N + 1>::value;
};
static_assert(Endless<0>::value == 0);
