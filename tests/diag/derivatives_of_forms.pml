// Cotangents and tangents have the form of what they belong to.
struct S1 { w : f32[3] = ones() }
struct S2 { w : f32[2] = ones() }
param s : S1; param t : S2; param u : S2;
fn f(x: f32[2]) { return (sum(x), [x, x * 2.0], 3); }
fn g(a) { return sum(a.w); }
fn h(a) { return sum(a[0]) * a[1]; }
main {
    let x = [1.0, 2.0] as f32;
    print(vjp(f)(x, (1.0, [x, x], 0)), jvp(f)(x, x), vjp(f)(x, 1.0));
    print(vjp(f)(x, (1.0, [x], 0)));   //~ PML0414@21
    print(vjp(f)(x, (1.0, [x, sum(x)], 0)));   //~ PML0414@21
    print(vjp(sum)(x, (1.0, 2.0)));    //~ PML0414@23
    print(jvp(g)(t, u), jvp(h)((x, 2), (x, 2)));    //~ PML0414@32
    print(jvp(g)(t, x));    //~ PML0414@21
    print(t + u, 2.0 * t - u / 2.0, -t);
    print(t + s);    //~ PML0204@11
    print(t * u);    //~ PML0204@11
    print(t + 1.0);    //~ PML0204@11
    print(t * [1.0, 2.0, 3.0]);    //~ PML0204@11
}
