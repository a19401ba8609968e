// A function takes tensors of any layout where its types have none.
place all = ranks(0..2);
fn f(x: f32[4] @ all : auto) -> f32 { return sum(x) to B; }   //~ PML0213@24
fn g(x: f32[4]) -> f32 @ all : auto { return sum(x) to B; }   //~ PML0213@32
main {
    print(f(zeros([4]) to @all : S(0)));
    print(g(zeros([4]) to @all : S(0)));
}
