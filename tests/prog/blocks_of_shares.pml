// Blocks that a loop takes of a split dimension, one each turn: where shares are no whole blocks, as on 3 and 4 ranks and with unequal shares, each
// `to` adds up what ranks have of a block. Forward and back. A block that several turns read has derivatives from all of them, which
// --reproducible adds up in one order.
//% ranks 1 3 (2 4)
//% bits blocks_of_shares
const N : int = 1;
const SHARES : layout = [S(0), S(0, shares = [2, 1]), S(0, shares = [1, 3, 2]), S(0, shares = [1, 0, 2, 3])][N - 1];
place all = ranks(0..N);
state x : f64[24, 4] @ all : S(0) = reshape(sin(iota(96) as f64), [24, 4]);
state y : f64[24, 4] @ all : SHARES = reshape(cos(iota(96) as f64), [24, 4]);

fn blocks(x) {
    var s = 0.0;
    for b in 0..4 { s = s + (b + 1) * sum(square(x[6 * b..6 * (b + 1)] to B)); }
    return s;
}

fn thrice(x) {
    var s = 0.0;
    for b in 0..4 {
        let ahead = 6 * ((b + 1) % 4);
        s = s + (b + 1) * sum(square(x[6 * b..6 * (b + 1)] to B)) + 0.3 * sum(x[18 - 6 * b..24 - 6 * b] to B) + 1.7 * sum(sin(x[ahead..ahead + 6] to B));
    }
    return s;
}

main {
    print(blocks(x), blocks(2.0 * x + 1.0), blocks(x to SHARES));
    for z in [x, y] {
        let (l, d) = value_and_grad(blocks, wrt = "x")(z);
        print(l, sum(d * d) to B, d[17] to B);
    }
    let (l, d) = value_and_grad(thrice, wrt = "x")(-x);
    print(l, d to B);
}
