// What is added up in rows of a split table, each named by an index, goes from who has it to who owns the row: gradients of rows by index are those of
// one rank, with rows that are named often, by one rank only or not at all, and indices outside of the table.
//% layouts 0:1 1:2 2:3 3:4 4:4 5:4 (6:7) 7:4 8:4 9:4
//% also --reproducible
const LAYOUT : int = 0;
const M : int = [1, 2, 3, 4, 2, 2, 7, 1, 2, 2][LAYOUT];
const N : int = [1, 1, 1, 1, 2, 2, 1, 4, 2, 2][LAYOUT];
place all = ranks(0..M * N) as (a = M, b = N);
// of the table, of the other one by its second dimension, of what is taken
const RA : layout = [S(0), S(0), S(0), S(0), S(0), S(0), S(0), B, S(0), S(0)][LAYOUT];
const RB : layout = [B, B, B, B, S(0), B, B, S(0, shares = [3, 0, 1, 2]), S(0), S(1)][LAYOUT];
const CA : layout = [S(1), S(1), S(1), S(1), S(1), S(1), S(1), B, S(1), S(1)][LAYOUT];
const CB : layout = [B, B, B, B, S(1), S(0), B, S(1), S(1), B][LAYOUT];
const EA : layout = [S(0), S(0), S(0), S(0), S(0), S(1), S(0), B, S(1), S(0)][LAYOUT];
const EB : layout = [B, B, B, B, S(0), B, B, S(0, shares = [1, 2, 0, 5]), B, S(1)][LAYOUT];
const FA : layout = [S(1), S(1), S(1), S(1), S(0), S(1), S(1), B, B, S(0)][LAYOUT];
const FB : layout = [B, B, B, B, S(1), B, B, S(1), S(0), S(1)][LAYOUT];

param t : f32[64, 5] @ all : (a=RA, b=RB) = reshape(iota(64 * 5) as f32 % 32.0, [64, 5]);
param u : f32[4, 64] @ all : (a=CA, b=CB) = transpose(reshape(iota(64 * 4) as f32 % 32.0, [64, 4]));

param v : f32[64, 5] @ all : (a=RA, b=RB) = reshape(iota(64 * 5) as f32 % 16.0, [64, 5]);

fn show(x) { return x to @all : B; }
fn squares(x) { return sum(sum(sum(x * x, dim = 0), dim = 0), dim = 0) to B; }
fn of_rows(i) { return squares(embed(t, i) to (a=EA, b=EB)); }
fn of_both(i, j) { return squares(embed(t, i) + embed(v, j) to (a=EA, b=EB)); }
fn of_columns(i) { return squares(reshape(take(u, i, dim = 1) to (a=FA, b=FB), [1, 4, 7])); }
fn of_some(i) { return squares(relu(embed(t, i) - 10.0) to (a=EA, b=EB)); }

main {
    for call in 0..3 {
        let i = randint(rng(call), [3, 4], 0, 64) to @all;
        let (l, g) = value_and_grad(of_rows, wrt = [t])(i);
        print(l, show(g.t));
    }
    let one = randint(rng(2), [3, 4], 1, 2) to @all;          // row 1, of one rank
    print(show(grad(of_rows, wrt = [t])(one).t));
    print(show(grad(of_some, wrt = [t])([[12, 64, -1, 0], [3, 1, 1, 12], [7, 8, 100, 12]]?).t));
    print(show(grad(of_columns, wrt = [u])(randint(rng(3), [7], 0, 64) to @all).u));
    let both = grad(of_both, wrt = [t, v])(randint(rng(4), [3, 4], 0, 64) to @all, randint(rng(5), [3, 4], 0, 64) to @all);
    print(show(both.t), show(both.v));
    for step in 0..3 {
        let i = randint(rng(step), [3, 4], 0, 4) * 16 + 5 to @all;
        t -= 0.25 * grad(of_rows, wrt = [t])(i).t;
        print(show(t));
    }
}
