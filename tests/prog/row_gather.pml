// Rows taken by index from a split table go from who owns them to all others, each once, and come out as on one rank: with -0.0, infinities and NaN.
//% layouts 0:1 1:2 2:3 3:4 4:4 5:4 (6:7) 7:4
//% also --reproducible
const LAYOUT : int = 0;
const M : int = [1, 2, 3, 4, 2, 2, 7, 1][LAYOUT];
const N : int = [1, 1, 1, 1, 2, 2, 1, 4][LAYOUT];
place all = ranks(0..M * N) as (a = M, b = N);
const RA : layout = [S(0), S(0), S(0), S(0), S(0), S(0), S(0), B][LAYOUT];
const RB : layout = [B, B, B, B, S(0), B, B, S(0, shares = [3, 0, 1, 2])][LAYOUT];
const CA : layout = [S(1), S(1), S(1), S(1), S(1), S(1), S(1), B][LAYOUT];
const CB : layout = [B, B, B, B, S(1), S(0), B, S(1)][LAYOUT];

fn special(x) { return if x == 7.0 => -0.0 else if x == 8.0 => 1.0 / 0.0 else if x == 9.0 => 0.0 / 0.0 else x; }

state t : f32[13, 5] @ all : (a=RA, b=RB) = reshape(iota(13 * 5) as f32, [13, 5]);
state u : f32[4, 13] @ all : (a=CA, b=CB) = transpose(reshape(iota(13 * 4) as f32, [13, 4]));

main {
    t = special(t);
    u = special(u);
    let ids = randint(rng(1), [3, 4], 0, 13) to @all;
    let one = randint(rng(2), [7], 1, 2) to @all;             // row 1, of one rank
    let nothing = randint(rng(2), [0], 1, 2) to @all;
    print(embed(t, ids) to B, embed(t, one) to B, embed(t, nothing) to B);
    print(take(u, one + 3, dim = 1) to B, 1.0 / (embed(t, one) to B));
    print(embed(t, [12, 40, -1, 0]?) to B, t[ids[0, 0]] to B, t[one[0] to B, 2] to B);
    print(embed((t as f64 * 3.0) as i64, ids as i8) to B, embed(t as bf16, ids as u16) to B, embed(t > 4.0, ids as u32) to B);
    var s = zeros([5]) to @all;
    for i in 0..4 { s = s + (t[(3 * i + s[0] as i32) % 6] to B); }
    print(s);
    let rows = embed(t, ids);
    for i in 0..3 { s = 0.5 * s + (rows[2 - i, 1] to B); }
    print(s, embed(t, ids[1]) to B, rows[0..2, 1..3] to B, embed(t, reshape(iota(12), [3, 4])[.., ..2]) to B, embed(t, transpose(ids))[3] to B);
}
