// A variable that is kept from step to step has the layout of its first value.
place all = ranks(0..2);
place grid = ranks(0..4) as (a = 2, b = 2);

fn two[l: layout](x: f32[8] @ all : l, y: f32[8] @ grid : l) -> f32 @ all : B { return sum(x to B) + sum((y to B) to @all : B); }   //~ PML0313@59

main {
    let s = uniform(rng(1), [8, 4]) to @all : S(0);
    let b = uniform(rng(2), [8, 4]) to @all : B;
    var z = s;
    var u = s;
    for i in 0..3 {
        z = z + b;
        u = b to S(1);                     //~ PML0306@13
        print(sum(z) to B, sum(u) to B);
    }
    print(two(uniform(rng(1), [8]) to @all : S(0), uniform(rng(1), [8]) to @grid));
}
