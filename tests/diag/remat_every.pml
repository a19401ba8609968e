// How many turns a segment has is an int of at least 1 that is known when compiling.
const K : int = 0;
config k : int = 3;
place p = ranks(0..1);
param w : f32[3] @ p = ones();
fn f(x: f32[3] @ p, some: int, n: int) {
	var h = x;
	remat every 0 for i in 0..n { h = h * w; }             //~ PML0501@14
	remat every K - 2 while sum(h) < 10.0 { h = h * w; }   //~ PML0501@14
	remat every k for i in 0..n { h = h * w; }             //~ PML0501@14
	remat every 2.5 for q in [1, 2] { h = h * w; }         //~ PML0501@14
	remat every sum(h) for i in 0..n { h = h * w; }        //~ PML0501@14
	remat every some for i in 0..n { h = h * w; }
	return sum(h);
}
main {
	print(value_and_grad(f)(ones([3]) to @p, some = 2, n = k));
	remat every 0 for i in 0..2 { print(i); }              //~ PML0501@14
	remat every 3 for i in 0..2 { print(i); }
}
