# fetched.sh — lines of large tensors are asked for ahead where functions are computed between them, and only there.
cat >"$work/fetched.pml" <<'END'
const N : int = 1024;
const FUNCTION : bool = true;
place p = ranks(0..1);
param x : f32[N, N] @ p = normal(std = 1.0);
state y : f32[N, N] @ p = zeros();
main {
    for step in 0..2 {
        if FUNCTION { y = tanh(x); } else { y = 1.5 * y + x; }
    }
    print(sum(y));
}
END
fetches() { "$PMLC" "$TEST_LEVEL" --emit=llvm-ir "$@" "$work/fetched.pml" 2>"$work/err" | grep -c 'call void @llvm.prefetch'; }
large=$(fetches) small=$(fetches -D N=64) cheap=$(fetches -D FUNCTION=false)
if [ "$large" -gt 0 ] && [ "$small" -eq 0 ] && [ "$cheap" -eq 0 ]; then
	ok
else
	bad "lines ahead of a function of a large tensor: $large, of a small one: $small, of a sum: $cheap"
fi
