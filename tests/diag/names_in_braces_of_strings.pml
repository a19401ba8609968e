// Braces of strings are no values; those that name nothing mean themselves.
// pmlc: -Werror
struct Net { w : f32[3] }
param net : Net = Net(w = ones());
fn f(x) { print("in f: {x}"); return x; } //~ PML0118@17
main {
    let l = 0.5;
    print("loss: {l}"); //~ PML0118@11
    print("loss: {l:.3f} of {net.w}"); //~ PML0118@11
    print("layer_{l}"); //~ PML0118@11
    print("in l^{l}: {l}"); //~ PML0118@11
    print("f_{l}", "x^{l}", "\\sqrt{l}", "\\theta_{l}", "f(x)_{l}", "a_{l}^{net}", "_{l}");
    print("{}", "{ l }", "{1, 2}", "{m}", "{l", "l}", "{3}", l);
    print(f(1.0), net.w);
}
