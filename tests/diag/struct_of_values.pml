place p = ranks(0..2);
struct S1 { w : f32[3] @ p = zeros() }
struct Net[n, m, on: place] { w : f32[n, m] @ on = zeros(), b : f32[m] @ on = zeros() }
param net : Net[3, 2, p];
param other : f32[3, 2] @ p = zeros();
param only : f32[3, 2] @ p = zeros();
fn loss() { return sum(net.w * only); }
fn part() { return sum(only); }
main {
    let s = S1();                                                   //~ PML0203@13
    let whole = S1(w = ones([3]));
    let one = Net(w = net.w);                                       //~ PML0203@15
    let nowhere = Net(w = ones([3, 2]), b = ones([2]));             //~ PML0209@19
    let narrow = Net(w = net.w, b = ones([3]));                     //~ PML0201@37
    let wrong = Net(net.w, c = net.b);                              //~ PML0203@28
    let many = Net(net.w, net.b, net.b);                            //~ PML0203@34
    let twice = Net(net.w, w = net.w);                              //~ PML0203@32
    let said = Net[3, 4, p](w = net.w, b = net.b);                  //~ PML0201 PML0201
    let few = Net[3](net.w, net.b);                                 //~ PML0203@15
    let unplaced = Net[3, 2](ones([3, 2]), ones([2]));              //~ PML0209@20
    let named = Net[n = 3, m = 2, on = p](net.w, net.b);            //~ PML0203
    let kind = Net[3, p, 2](net.w, net.b);                          //~ PML0209@23
    let wide = Net(net.w as f64, net.b);                            //~ PML0202@20
    let field = Net.w;                                              //~ PML0216
    let sum_of = Net + 1.0;                                         //~ PML0204
    print(Net);                                                     //~ PML0506
    let checked : Net[3, 4, p] = Net(net.w, net.b);                 //~ PML0209
    let right = if sum(net.w) > 0.0 => Net(net.w, net.b) else whole; //~ PML0505
    let texts = if sum(net.w) > 0.0 => p else net;                  //~ PML0501
    let g = grad(loss)();
    only -= 0.1 * g;
    other -= 0.1 * g;                                               //~ PML0204
    net -= 0.1 * g;
    let h = grad(part)();
    print(sum(h), sum(h.only), shape(h));                           //~ PML0209@15 PML0209@38
}
