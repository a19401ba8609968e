struct Net { w : f64[3] = ones() }
param net : Net;
state teacher : Net;
state s : f64[3] = ones();
fn f() { return sum(net.w * s * teacher.w); }
main {
    print(grad(f, wrt = s)());                //~ PML0413@25
    print(grad(f, wrt = teacher)());          //~ PML0413@25
    print(grad(f, wrt = (net, teacher))());   //~ PML0413@25
    print(grad(f, wrt = net)());
}
