place p = ranks(0..2);
config k : int = 3;

param w : f32[2] @ p = [1.0, 2.0, 3.0];         //~ PML0201

fn f(x: f32[2] @ p) { return x; }

main {
    let a = [[1, 2], [3]] as f32;               //~ PML0208
    let b = [1, [2]] as i32;                    //~ PML0208
    let c = ["a"] as i32;                       //~ PML0208
    let d : i32[2] = [1, k];                    //~ PML0208
    let e = f([1.0, 2.0, 3.0]);                 //~ PML0201
    let g = (zeros([2]) to @p) + ["b", "c"];     //~ PML0208
    let h = [zeros([2]), ones([3])] as f32;     //~ PML0208
    let i = [[[[[[[[[1]]]]]]]]] as f32;         //~ PML0208
    let x = 3;
    x(4);                                       //~ PML0208
}
