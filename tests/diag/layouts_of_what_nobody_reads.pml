// Layouts are checked where nothing comes of them, too; messages of code that is read are not said twice.
place all = ranks(0..2);
state count : f32 = zeros();

fn f(x: f32[4] @ all : S(0)) {
    let y = sum(x);
    let z = exp(y);                                        //~ PML0307@17
    let fine = softmax(x to B);
    return x;
}
fn counts(x: f32[3]) -> f32 { count = count + 1.0; return sum(x * x); }
fn twice(x: f32[4] @ all) { return x + x; }

main {
    let x = ones([4]) to @all : S(0);
    print(sum(f(x)) to B);
    let p = sum(x);
    let q = relu(p);                                       //~ PML0307@18
    print(relu(p) to B);                                   //~ PML0307@16
    let r = x + (ones([4]) to @all : S(0));
    let s = x[0..2] * 2.0;
    print(grad(counts)(ones([3])));
    var kept = x to P;
    print(2);
    if count > 0.0 { print(sum(twice(kept)) to B); }       //~ PML0309@38
}
