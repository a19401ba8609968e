fn f(x) {
    if x {
        print(x);
    return x;
}
fn g(x) { return (x; }     //~ PML0003@1 PML0003@20
main { print(g(1) }        //~ PML0003@19
const N : int = [1, 2
const M : int = 2;         //~ PML0003@1
