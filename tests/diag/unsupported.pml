place left = ranks(0..2);
param d : f32[4] @ left : auto = zeros();     //~ PML0901
main {
    let x = zeros([4]) to @left : auto;       //~ PML0901
}
