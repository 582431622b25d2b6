ls dist
nm -D --undefined-only axpy/_C.abi3.so | grep -c -E ' (aoti_)?torch_'
nm -D --undefined-only --demangle axpy/_C.abi3.so | grep -c -E '(at|c10|torch)::'
