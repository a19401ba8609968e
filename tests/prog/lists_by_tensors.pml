// Elements of lists by ints that tensors hold: tensors and params, numbers, texts, structs; read, assigned, and routed by in derivatives.
//% ranks 1 3 (2 4)
const N : int = 1;
config j : int = 2;
place all = ranks(0..N);
param ws : [3] f32[2, 2] @ all : S(0) = full(0.5);
param k0 : f32[3] @ all = [0.1, 0.9, 0.3];
struct Named { name : string, n : int, w : f32[2] }
fn chosen(x) { let i = argmax(k0); return sum(ws[i] @ x) to B; }
fn routed(x) { var y = x; for t in 0..3 { y = ws[argmax(k0 * (y[0] + t))] @ y to B; } return sum(y); }
fn set(i) { var l = [1.0, 2.0, 3.0]; l[i] = 7.0; return l; }
main {
    let x = [1.0, 2.0] as f32 to @all;
    let i = argmax(k0);
    let names = ["cat", "dog", "bird"];
    ws[1] = [[1.0, -2.0], [3.0, 4.0]];
    print(names[i], names[j], names[argmin(k0) - 1], [1, 2, 3][i], set(i));
    for k in 0..3 { print(k, names[k], length(names[k])); }
    let (l, g) = value_and_grad(chosen)(x);
    print(l, g.ws[1] to B, g.ws[0] to B, routed(x), grad(routed, wrt = "x")(x));
    var all_of = [Named("a", 1, [1.0, 2.0]), Named("b", 2, [3.0, 4.0])];
    print(all_of[i], all_of[argmin(k0)].name);
    all_of[i].n = 9;
    all_of[argmin(k0)].w = [0.0, 0.5];
    print(all_of);
}
