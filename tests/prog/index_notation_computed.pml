// Positions that calls, conversions, choices and reductions compute of elements: data, as those are that arithmetic computes.
//% ranks 1 2 3 4
const N : int = 1;
place all = ranks(0..N);
state i : i64[4] = [0, 3, 5, 6];
state w : f32[4] = [0.2, 1.7, 2.2, 3.9];
param v : f32[8] = [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0];

fn read(i: i64[4], r: f32[8], w: f32[4], o: f32[8]) {
    let apart[a, c] = r[(abs(i[a] - i[c]) + 7) % 8];
    let down[a] = r[floor(w[a]) as i64];
    let chosen[a] = r[if i[a] < 3 => i[a] else 7];
    let or_none[a] = r[(if i[a] < 4 => a else 10)?];
    let place[a] = r[sum[c] (i[a] > i[c]) as i64];
    let all[c] = sum[a] o[a] * (i[c] as f32) * r[min(max(i[c] - a, 0), 3)];
    return (apart, down, chosen, or_none, place, all);
}
fn total(r: f32[8], i: i64[4], w: f32[4], o: f32[8]) {
    let y = read(i, r, w, o);
    return sum(y[0]) + sum(y[1]) + sum(y[5]);
}
main {
    let o = ones([8]);
    for y in read(i, v, w, o) { print(y); }
    print(grad(total)(v, i, w, o));
    let at = i to @all : S(0);
    let ranked[a] = at[a] * (v to @all : B)[abs(at[a] - 7)] as i64;
    print(ranked to B);
}
