import std.optim;
struct A { w : f32[2] }
struct C { w : f32[2] }
main {
	let a = A(w = [1.0, 2.0]);
	print(optim.dot(a, C(w = [1.0, 2.0]))); //~ PML0204@8
	print(optim.dot(a, 2.0)); //~ PML0204@8
	print(optim.dot((ones([2]), 1.0), (ones([3]), 1.0))); //~ PML0501@8
	print(optim.norm("a")); //~ PML0208@19
	print(optim.norm(a), optim.norm(2.0));
}
