fn f(x: f32[3]) -> f32 { return sum(x * x); }
main {
    print(jit(f)(ones([3])));     //~ PML0101@11
    print(float(3));              //~ PML0101@11
}
