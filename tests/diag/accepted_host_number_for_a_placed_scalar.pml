place left = ranks(0..2);
fn f(x: f32 @ left : B, y: f32) -> f32 @ left : B { return x * y; }
main { print(f(2, 3), f(2.5, sum(ones([3])))); }
