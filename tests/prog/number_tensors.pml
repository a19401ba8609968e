//% ranks 1 2
// numbers that the host knows have no memory: their views, as tensors of one element and as what no turn of a branch changes
const N : int = 1;
place p = ranks(0..N);
place q = ranks(N-1..N);
config n : int = 3;
config a : f64 = 2.0;
param w : f64[4] @ p = [1.0, 2.0, 4.0, 8.0];
fn one(v) { return reshape(v to @p, [1]); }
fn f[r](x: f64[r,4] @ p) -> f64 @ q : B {
	var h = x;
	if n > 1 { remat every 2 for t in 0..n { h = h * w * (1.0 / n); } }
	return mean(h to @q);
}
main {
	print(reshape(n as f64 to @p, [1,1]) @ reshape(w, [1,4]));
	print(concat([one(n as f64), w, one(0.5 as f64)]), sort(one(n)), take(w, one(n)));
	var h = 0.0 * one(a);
	for i in 0..n { h = one(a); }
	var k = one(a);
	for i in 0..n { if sum(w) > 1.0 { k = one(n as f64) + k * a; } else { k = one(a); } }
	print(h, k);
	let x = reshape(iota(32) as f64, [8,4]) to @p;
	for m in [1, 2] {
		let (l, g) = microbatch(m) { value_and_grad(f)(x) };
		print(l, g);
	}
	let (l, g) = value_and_grad(f)(x);
	print(l, g);
}
