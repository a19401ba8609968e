param w : f32[3] = ones();
state count : f32 = zeros();
fn f[n](x: f32[n, 3]) { return mean(x @ w); }
fn both[n](x: f32[n, 3]) { return microbatch(2) { f(x) }; }   //~ PML0522
main {
    let x = ones([4, 3]);
    var total = 0.0;
    var kept = x;
    print(microbatch(2) { if f(x) > 0.0 { } f(x) });          //~ PML0522
    print(microbatch(2) { w = w * 0.5; f(x) });               //~ PML0522
    print(microbatch(2) { total += f(x); f(x) });             //~ PML0522
    print(microbatch(2) { kept = x; f(x) });                  //~ PML0522
    print(microbatch(2) { microbatch(2) { f(x) } });          //~ PML0522
    print(microbatch(2) { save("a.safetensors"); f(x) });     //~ PML0522
    print(microbatch(2) { every 2 { } f(x) });                //~ PML0522
    print(grad(both)(x));
    print(microbatch(2) { print("here", x); log(here = 1, sum = sum(x)); assert(x > 0.0); f(x) });
    print(microbatch(2) { count = count + 1.0; var y = x; y = y * 2.0; for i in 0..2 { y = y + 1.0; } f(y) });
}
