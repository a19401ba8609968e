fn scale[n](x: f32[n], by: float) { return sum(x * by); }
fn where_to(p: place) { return 1; }
fn nothing() -> f32 { let x = 1; }            //~ PML0209@4
config wrong : int = "a";                     //~ PML0209@22
const c : int = 0.5;                          //~ PML0209@17
main {
    print(scale(ones([3]), 2), scale(ones([3]), 2.5));
    print(scale(ones([3]), "2"));             //~ PML0209@28
    print(where_to(3));                       //~ PML0209@20
    print(nothing());
    print(sum(uniform(3, [4])));              //~ PML0209@23
    print(rng("a"));                          //~ PML0209
    save(3);                                  //~ PML0209
}
