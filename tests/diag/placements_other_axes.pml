// The same ranks along axes of other extents: a layout of one says something else of the other, so values do not pass from one to the
// other by themselves.
place a = ranks(0..4) as (x = 4, y = 1);
place b = ranks(0..4) as (x = 1, y = 4);
place c = ranks(0..4) as (up = 4, down = 1);
fn twice(v: f32[8] @ b : (x=S(0))) { return v * 2.0; }
fn thrice(v: f32[8] @ c : (up=S(0))) { return v * 3.0; }
state w : f32[8] @ b : (y=S(0)) = zeros();
main {
    let v = linspace(0.0, 7.0, 8) to @a : (x=S(0));
    print(thrice(v) to B);
    print(twice(v) to B);  //~ PML0212
    print(v + w to B);  //~ PML0212
    w = v;  //~ PML0212
    w = v to @b : (y=S(0));
}
