// How many micro-batches, in which order, and what is computed again: for a search to say; nothing else of a block is.
place grid = ranks(0..2) as (dp = 2);
const deep : bool = true;
param w : f32[8, 8] @ grid : B = zeros();
fn f(x) {
    let h = remat(auto) { x @ w };                   //~ PML0901@19
    let k = remat(deep) { tanh(h) };
    let l = remat(3) { tanh(k) };                    //~ PML0209@19
    let m = remat(auto, auto) { tanh(k) };           //~ PML0209@19
    return mean(remat(again = deep) { h * k }) to B; //~ PML0209@23
}
main {
    let x = ones([4, 8]) to @grid : S(0);
    let g = grad(f)(x);
    let a = microbatch(auto, schedule = auto) { mean(x) to B }; //~ PML0901@24 PML0901@41
    let b = microbatch(2, auto) { mean(x) to B };    //~ PML0209@27
    let c = microbatch(2, hold = auto) { mean(x) to B }; //~ PML0209@34
    let d = microbatch(2, whole = auto) { mean(x) to B }; //~ PML0209@35
}
