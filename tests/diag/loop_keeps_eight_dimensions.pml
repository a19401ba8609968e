place p = ranks(0..1);
param w : f32[1, 1, 1, 1, 1, 1, 1, 4] @ p = ones();
config n : int = 3;
fn f(x: f32[1, 1, 1, 1, 1, 1, 1, 4] @ p) -> f32 @ p {
	var h = x;
	for i in 0..n {    //~ PML0415@11
		h = tanh(h * w);
	}
	return sum(h);
}
main {
	let (l, g) = value_and_grad(f)(ones([1, 1, 1, 1, 1, 1, 1, 4]) to @p);
	print(l, g.w);
}
