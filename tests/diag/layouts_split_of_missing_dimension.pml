place left = ranks(0..2);
param w : f32[4] @ left : S(1) = zeros();     //~ PML0210@27
main {
    let x = zeros([3]) to @left : S(2);       //~ PML0210@35
    print(sum(w));
}
