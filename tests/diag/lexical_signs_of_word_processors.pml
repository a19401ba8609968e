// Dashes, signs of arithmetic and curly quotes that come with copied text: one message each.
fn half(x: f32) -> f32 { return x ÷ 2.0; }    //~ PML0004@35

main {
    let a = 3 – 2;                           //~ PML0004@15
    let b = 3 − 2 × 5;                       //~ PML0004@15 PML0004@21
    print(“two words”, a ≤ b, half(1.0));    //~ PML0004@11 PML0004@30
    print(‘a’);                              //~ PML0004@11
    for i in 0 … 3 { print(i); }             //~ PML0004@16
}
