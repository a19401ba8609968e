//% ranks 1 2 (3)
// Structs, tuples and lists walked part by part: clipped and accumulated as the gradient is that says the same, in every layout, beside
// other gradients, and with states of their own.
import std.optim;
const N : int = 1;
place p = ranks(0..N);
place q = ranks(N-1..N);
struct Layer[p: place] { w : f64[6, 3] @ p : S(0) = normal(std = 0.5), b : f64[3] @ p = zeros() }
struct Net { first : Layer[p], rest : [i in 0..2] f64[2] @ p = full(0.5), last : f64 @ p = 2.0 }
struct Pair { here : f32[4] @ p : S(0) = full(3.0), there : f32[2] @ q = full(4.0) }
param net : Net;
param pair : Pair;
state scale : optim.LossScale[p];

fn loss(n, x) {
	return sum(sin((x @ n.first.w to B) + n.first.b)) + sum(n.rest[0] * n.rest[1]) + square(n.last - 3.0);
}
fn inner(n) { return loss(n, sin(reshape(iota(48) as f64, [8, 6])) to @p); }
fn whole() { return inner(net); }
fn same(g, h) {
	return optim.norm(g.first.w - h.first.w) + optim.norm(g.first.b - h.first.b) + abs(g.last - h.last)
		+ optim.norm(g.rest[0] - h.rest[0]) + optim.norm(g.rest[1] - h.rest[1]) < 1e-12;
}
fn mean(g, step) { return optim.accumulate(g, step, n = 2); }

main {
	for k in 0..4 {
		let g = grad(inner, wrt = "n")(net);
		let h = grad(whole)();
		print(same(optim.clip_norm(g, 0.1), optim.clip_norm(h, 0.1).net), optim.norm(optim.clip_norm((g, [h]), 0.1)));
		print(same(optim.clip_value(g, 0.2), optim.clip_value(h, 0.2).net), optim.clip_value([g, g], 0.2)[1].rest);
		let a = mean(g, k);
		let b = optim.accumulate((g, [h]), k, n = 2);
		print(same(a, optim.accumulate(h, k, n = 2).net), same(a, b[0]), same(a, b[1][0].net), a.first.b as f32, same(2.0 * a, optim.accumulate(2.0 * g, k, n = 2)));
		if k % 2 == 1 { net = net - 0.1 * a; }
	}
	let x = sin(reshape(iota(48) as f64, [8, 6])) to @p : S(0);
	let y = optim.clip_norm((x, [(3.0 * x) to S(1), (x @ (ones([6]) as f64)) to B]), 0.5);
	print(optim.norm(y), sum(y[1][0] to B) / sum(y[0] to B));
	print(optim.norm(optim.accumulate([x, 2.0 * x], 0, n = 2)) / optim.norm([x, x]));
	let (fits, u) = optim.unscaled((65536.0 * pair, [65536.0 as f32 to @p]), scale);
	print(fits, optim.norm(optim.clip_norm(u, 1.0)), u[0].there, u[1]);
	print(optim.clip_norm(([3.0, 4.0] as f32, 0.0), 1.0), optim.clip_value([7.0, -7.0] as f32, 1.0), optim.clip_norm(pair, 1.0).there);
	var n = 0.0;
	each d in (1.0, [2.0, ones([3])]) { n = n + (sum(d) as f64); }
	each d in grad(whole)() { n = n + 0.0 * (sum(d) to B); }
	print(n, each d in (1, [iota(3)]) => d + 1);
}
