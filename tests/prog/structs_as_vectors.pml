//% ranks 1 2 (3)
// Structs as vectors of an inner product: conjugate gradients on a net that is a struct, with the norm of its weights as a penalty,
// and a target that follows it.
import std.optim;
const N : int = 1;
place p = ranks(0..N);
place q = ranks(N-1..N);
struct Layer[p: place] { w : f64[6, 3] @ p : S(0) = normal(std = 0.5), b : f64[3] @ p = zeros() }
struct Net { first : Layer[p], rest : [i in 0..2] f64[2] @ p = full(0.5), last : f64 @ p = 2.0 }
struct Pair { here : f32[4] @ p : S(0) = ones(), there : f32[2] @ q = full(2.0) }
param net : Net;
param target : Net;
param pair : Pair;
config steps : int = 40;

fn loss(n, x, y) {
	let far = sum(square((x @ n.first.w to B) + n.first.b - y));
	return far + optim.dot(n, n) + square(n.last - 3.0) + sum(square(n.rest[0] - n.rest[1]));
}
fn inner(n) { return loss(n, sin(reshape(iota(48) as f64, [8, 6])) to @p, cos(reshape(iota(24) as f64, [8, 3])) to @p); }

main {
	target = net;
	print(optim.dot(net, net) - optim.norm(net) ** 2, optim.dot((net, target), (target, net)) - 2.0 * optim.dot(net, target));
	let g = grad(inner, wrt = "n")(net);
	var s = 0.0 * g;
	var r = -g;
	var d = r;
	var rr = optim.dot(r, r);
	for k in 0..steps {
		if rr > 1e-20 {
			let hd = hessian_vector(inner, net, d);
			let a = rr / optim.dot(d, hd);
			s = s + a * d;
			r = r - a * hd;
			let now = optim.dot(r, r);
			d = r + (now / rr) * d;
			rr = now;
		}
	}
	net = net + s;
	print(optim.norm(grad(inner, wrt = "n")(net)) < 1e-8, net.last, net.rest[0], sum(net.first.w) to B, net.first.b);
	for k in 0..steps { target = 0.9 * target + 0.1 * net; }
	print(optim.norm(target - net) / optim.norm(s), 0.9 ** 40.0);
	print(optim.dot(pair, 0.5 * pair), optim.norm([pair, pair]));
	print(optim.dot(([1.0, 2.0] as f32, 3.0), ([4.0, 5.0] as f32, 6)), optim.dot([1.0, 2.0] as f32, [3.0, 4.0] as f32));
}
