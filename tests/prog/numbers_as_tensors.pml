// A number where a tensor of any dimensions is declared is one without dimensions, of its own element type or the declared one.
//% fold 1
config a : float = 2.0;
config k : int = 3;
const FIRST : bool = true;

fn f(x) { return x * x; }
fn two(x) { return stack([x, x * x], dim = 0); }
fn id[t: number](x: t[..]) { return x; }
fn id_f32(x: f32[..]) { return x; }
fn id_f64(x: f64[..]) { return x; }
fn both[t: float](x: t[..], y: t[..]) { return x + y; }

// Of a choice that is known when compiling the number has the type that it would have if it were not.
state wide : f64[2] = ones();
op scaled(x[i], r: f64) -> [i] = where(FIRST, 3, x[i]) * x[i] * where(FIRST, r, x[i]);
fn chosen(x: f64[2]) {
    print(where(FIRST, 0.1, x[1]) + x, where(x[0] > 0.0, 0.1, x[1]) + x, max(where(!FIRST, x, 7), x), scaled(x, r = 0.1), digits = 12);
}

main {
    print(jacobian(f, 1.0), jacobian(f, 3), jacobian(two, 2.0), jacobian(two, [2.0, 3.0]));
    print(jacobian(sin, a), hessian_vector(f, 2.0, 1.0));
    check_gradient(f, 0.5, eps = 1e-2, rtol = 1e-2);
    print(id(3), id(2.5), id_f32(a), id_f32(k), id_f64(1), id(k), both(1, a), both(0.1 as f64, 2.0));
    for i in 0..2 { print(jacobian(f, i)); }
    chosen(wide);
}
