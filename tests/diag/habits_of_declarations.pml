config lr = 0.1;            //~ PML0001@11
fn one() { return 1; }
param w = 3;                //~ PML0001@9
fn two() { return 2; }
param v : [3, 4] = 3;       //~ PML0001@13
main {
    assert 1 == 1;          //~ PML0001@12
    print(ones([2])[..., 0]); //~ PML0001@23
}
