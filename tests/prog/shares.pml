//% fold 1 (2) 3 (4)
//% also --verify-each --target-cpu=x86-64-v3
// Splits in unequal shares: params, states, moves between any two cuts, products over equal ones, gradients, windows and
// tables. On fewer ranks, shares of ranks that become one are added up; in the end the last is a split in equal shares.
place p = ranks(0..4);
place g = ranks(0..4) as (dp = 2, tp = 2);

const rows : layout = S(0, shares = [4, 3, 0, 1]);
const few : int = 3;

op heat(u[i, j]) -> [i, j] = u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j]);

param w : f32[9, 4] @p : S(0, shares = [1, 2, few, 3]) = normal(std = 0.3);
param v : f32[4, 7] @p : S(1, shares = [5, 1, 1, 1]) = normal(std = 0.3);
param u : f32[10, 6] @g : (dp=S(0, shares = [3, 1]), tp=S(1, shares = [1, 2])) = normal(std = 0.3);
state seen : f32[11, 7] @p : rows = zeros();

fn loss(x: f32[11, 9] @p : rows) -> f32 @p : B {
    let h = tanh(x @ (w to B));
    let y = h @ (v to B);
    return mean(y * y) to B;
}

fn crossed(x: f32[5, 10] @g : (dp=S(1, shares = [3, 1]))) -> f32 @g : B {
    let y = x @ u;
    return sum(relu(y to (dp=P, tp=S(1)) to (dp=S(0, shares = [1, 4])))) to B;
}

main {
    let x = uniform(rng(1), [11, 9]) to @p : rows;
    for i in 0..3 {
        let (l, d) = value_and_grad(loss)(x);
        print(l);
        w -= 0.5 * d.w;
        v -= 0.5 * d.v;
        seen = seen + (x @ (w to B)) @ (v to B);
    }
    print(w to B);
    print(v to B);
    print(seen to S(1, shares = [0, 0, 1, 1]) to B);

    // every way to move, a product over equal cuts, a split that others are made to fit
    let a = x to S(1, shares = [1, 2, few, 3]);
    print((a @ w) to S(0, shares = [1, 0, 0, 2]) to B);
    let b = (x to S(0)) * 2.0 + (x to S(0));
    print(sum((b to rows) - 3.0 * x) to B);
    print(reshape(x to B to S(0, shares = [2, 1, 1, 0]), [11, 3, 3]) to S(1) to B);
    print(max(x, dim = 1) to B, argmax(x to S(1), dim = 0) to B);

    // rows of a table, and what is read around shares
    let at = [10, 0, 3, 3, 7] to @p : S(0, shares = [1, 1, 3, 1]);
    let all = x to B;
    let ids = at to B;
    let mine[i, j] = all[at[i], j];
    let served[i, j] = x[ids[i], j];
    print(mine - (served to S(0, shares = [1, 1, 3, 1])) to B, mine to B);
    let around = heat(x);
    print(around to S(0, shares = [1, 1, 1, 2]) to B);
    print((x[1..10] to S(0, shares = [1, 2, 3, 4])) to B);

    let (l, d) = value_and_grad(crossed)(uniform(rng(2), [5, 10]) to @g : (dp=S(1, shares = [3, 1])));
    print(l);
    print(d.u to B);
}
