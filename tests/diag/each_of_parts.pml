import std.optim;
struct Net { w : f32[2, 3] = ones(), b : f32[3] = ones() }
param net : Net;
param w : f32[2] = ones();
fn f(n) { return sum(n.w ** 2.0) + sum(n.b); }
fn by_w() { return sum(w * w); }
main {
	let g = grad(f, wrt = "n")(net);
	optim.sgd(g, lr = 0.1); //~ PML0209@12
	each (p, d) in g { print(sum(d)); } //~ PML0501@17
	print(each (p, d) in (g, g) => d); //~ PML0501@23
	print(each d in 1..3 => d); //~ PML0501@18
	print(each d in g => sum(d));
	print(each d in (grad(by_w)(), 1.0) => sum(d)); //~ PML0501@41
	print(optim.clip_norm("a", 1.0)); //~ PML0208@24
	print(optim.clip_norm((1, 2), 1.0)); //~ PML0202@8
	print(optim.clip_value(g, 0.5), optim.clip_norm((g, grad(by_w)()), 0.5));
}
