// Rows taken by index from a split table go from who owns them to who is to keep them, and come out as on one rank: with -0.0, infinities and NaN.
//% layouts 0:1 1:2 2:3 3:4 4:4 5:4 (6:7) 7:4 8:4 9:4
//% also --reproducible
const LAYOUT : int = 0;
const M : int = [1, 2, 3, 4, 2, 2, 7, 1, 2, 2][LAYOUT];
const N : int = [1, 1, 1, 1, 2, 2, 1, 4, 2, 2][LAYOUT];
place all = ranks(0..M * N) as (a = M, b = N);
// of the table, of the other one by its second dimension, of rows and of columns of what is taken
const RA : layout = [S(0), S(0), S(0), S(0), S(0), S(0), S(0), B, S(0), S(0)][LAYOUT];
const RB : layout = [B, B, B, B, S(0), B, B, S(0, shares = [3, 0, 1, 2]), S(0), S(1)][LAYOUT];
const CA : layout = [S(1), S(1), S(1), S(1), S(1), S(1), S(1), B, S(1), S(1)][LAYOUT];
const CB : layout = [B, B, B, B, S(1), S(0), B, S(1), S(1), B][LAYOUT];
const EA : layout = [S(0), S(0), S(0), S(0), S(0), S(1), S(0), B, S(1), S(0)][LAYOUT];
const EB : layout = [B, B, B, B, S(0), B, B, S(0, shares = [1, 2, 0, 5]), B, S(1)][LAYOUT];
const FA : layout = [S(1), S(1), S(1), S(1), S(0), S(1), S(1), B, B, S(0)][LAYOUT];
const FB : layout = [B, B, B, B, S(1), B, B, S(1), S(0), S(1)][LAYOUT];

fn special(x) { return if x == 7.0 => -0.0 else if x == 8.0 => 1.0 / 0.0 else if x == 9.0 => 0.0 / 0.0 else x; }

state t : f32[13, 5] @ all : (a=RA, b=RB) = reshape(iota(13 * 5) as f32, [13, 5]);
state u : f32[4, 13] @ all : (a=CA, b=CB) = transpose(reshape(iota(13 * 4) as f32, [13, 4]));
state y : f32[3, 4, 5] @ all : (a=EA, b=EB) = zeros();
state z : f32[7, 5] @ all : (a=FA, b=FB) = zeros();

fn show(x) { return x to @all : B; }

main {
    t = special(t);
    u = special(u);
    for call in 0..3 {
        y = embed(t, randint(rng(call), [3, 4], 0, 13) to @all) to (a=EA, b=EB);
        print(show(y));
    }
    let one = randint(rng(2), [7], 1, 2) to @all;             // row 1, of one rank
    z = embed(t, one) to (a=FA, b=FB);
    print(show(z));
    z = relu(embed(t, [12, 40, -1, 0, 3, 1, 1]?)) * 2.0 to (a=FA, b=FB);
    print(show(z));
    z = embed((t as f64 * 3.0) as i64, one as i8) as f32 to (a=FA, b=FB);
    print(show(z), show(embed(t as bf16, one as u16) to (a=FA, b=FB)), show((embed(t > 4.0, one as u32) to (a=FA, b=FB)) as f32));
    print(show(take(u, one + 3, dim = 1) to (a=FA, b=FB)), show(embed(t, randint(rng(2), [0], 1, 2) to @all) to (a=FA, b=FB)));
    var s = zeros([3]) to @all;
    for i in 0..4 { s = s + sum(sum(embed(t, iota(12) * i % 6 + 2) to (a=FA, b=FB), dim = 0) to B) * 0.5; }
    print(s);
}
