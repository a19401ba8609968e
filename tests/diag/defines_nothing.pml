// pmlc: -D M=4 -D lr=3 -D other.K=3 -D f=3
//~? PML0105 PML0105 PML0105 PML0105
const N : int = 3;
config lr : f32 = 0.1;
fn f() { }
