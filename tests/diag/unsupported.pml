place left = ranks(0..2);
place open = ranks(0..8) as auto;             //~ PML0901@14
param d : f32[4] @ left : auto = zeros();     //~ PML0901
main {
    let x = zeros([4]) to @left : auto;       //~ PML0901
}
