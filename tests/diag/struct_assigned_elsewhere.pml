// What is wrong with all fields of a struct that is assigned is said once.
place p = ranks(0..2);
struct S { a : f32[2], b : f32[3], c : f32[4] }
param s : S = S(a = ones(), b = ones(), c = ones());
main {
    s = S(a = ones([2]) to @p, b = ones([3]) to @p, c = ones([4]) to @p);   //~ PML0212@9
    print(sum(s.a));
}
