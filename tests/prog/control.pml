// if, while, for, every; host decisions about tensors; choices. Values by hand.
//% ranks 1 (2) 3
//% args --n=5
config n : int = 3;
config flag : bool = true;
const N : int = 1;
place p = ranks(0..N);
param w : f32[3] @ p = ones();

fn sign(x) { if x > 0.0 { return 1; } else if x < 0.0 { return -1; } else { return 0; } }
fn known(k: int) { if k > 3 { return "large"; } return "small"; }
fn choose(c, a, b) { return if c => a else b; }

fn turns() { for i in 0..7 { for j in 0..2 { every 5 { print("known", i, j); } } } }

main {
    var i = 0;
    while i < n { i += 1; if i == 2 { print("two"); } else if i == 4 { print("four"); } else { print("other", i); } }
    for k in 0..n { every 2 { print("every", k); } }
    for k in 2..5 { if flag && k != 3 { print("k", k); } }
    for k in n..2 { print("never"); }
    for k in -1..2 { print(k); }
    print(sign(2.0), sign(-2.0), sign(0.0), known(2), known(5), choose(true, 1, 2), choose(n > 3, 1.5, 2.5));
    let x = iota(3) as f32 to @p : S(0);
    let s = sum(x) to B;
    if s > 2.0 { print("sum is large"); } else { print("sum is small"); }
    if s > 5.0 { print("sum is huge"); }
    var y = x;
    while (sum(y) to B) < 20.0 { y = y * 2.0; }
    print(y to B);
    var total = 0.0;
    for k in 0..n { total += sum(x * k) to B; }
    print(total);
    for k in 0..3 { w = w + k; every 2 { w = w * 2.0; } }
    print(w);
    var a = 1; var b = 1;
    for k in 0..10 { let c = a + b; a = b; b = c; }
    print(a, b);
    { let inner = 3; print(inner); }
    let z = if n > 3 => x + 1.0 else x - 1.0;
    print(z to B);
    let m = where(x > 1.0, x, 0.0 - x);
    print(m to B);
    for k in 0..2 { for j in 0..2 { if k == j { print(k, j); } } }
    if !flag { print("not"); }
    if n == 5 { if flag { print("both"); } }
    turns();
    for k in [10, 20, 30] { every 2 { print("of a list", k); } }
}
