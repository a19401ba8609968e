// Steps on tables at the rows that a batch names: some named twice, several dimensions of indices, tables whole, split by rows and by
// columns, bf16. Each is compared with a table of which the gradient is kept, so that it is made whole. Beside them a step that moves
// other rows as well, a table of which the old value is wanted afterwards, and indices that leave points out.
//% layouts 0 (1) 2 3
const LAYOUT: int = 0;
const DP: int = [1, 2, 1, 2][LAYOUT];
const TP: int = [1, 1, 3, 2][LAYOUT];
const V: int = 310;
const D: int = 12;
config steps: int = 3;
place g = ranks(0..DP * TP) as (dp = DP, tp = TP);

state plain: f32[V, D] @ g = zeros();
state plain_whole: f32[V, D] @ g = zeros();
state tall: f32[V, D] @ g : (tp=S(0)) = zeros();
state tall_whole: f32[V, D] @ g : (tp=S(0)) = zeros();
state wide: f32[V, D] @ g : (tp=S(1)) = zeros();
state wide_whole: f32[V, D] @ g : (tp=S(1)) = zeros();
state half: bf16[V, D] @ g = zeros();
state half_whole: bf16[V, D] @ g = zeros();
state decayed: f32[V, D] @ g = zeros();
state line: f32[V] @ g = zeros();
state line_whole: f32[V] @ g = zeros();
state old: f32[V, D] @ g = zeros();
state kept: f32[V, D] @ g = zeros();
state kept_tall: f32[V, D] @ g : (tp=S(0)) = zeros();
state kept_wide: f32[V, D] @ g : (tp=S(1)) = zeros();
state kept_half: bf16[V, D] @ g = zeros();
state kept_line: f32[V] @ g = zeros();

op rows[t: int](a[b, d], i[..]: t) -> [.., d] = a[i, d];
op rows_there[t: int](a[b, d], i[..]: t) -> [.., d] = a[i?, d];
op elements[t: int](a[b], i[..]: t) -> [..] = a[i];

fn loss(t, i) { return finish(sum(square(finish(rows(t, i))) * 0.5)); }
fn loss_there(t, i) { return finish(sum(square(finish(rows_there(t, i))) * 0.5)); }
fn loss_half(t, i) { return finish(sum(square(rows(t, i)) * 0.5)); }
fn loss_line(t, i) { return finish(sum(square(elements(t, i)) * 0.5)); }

main {
    let few = [[7, 299, 7], [0, 150, 7]] as i32 to @g;
    let some = [3, 3, 400, 309, -5] as i32 to @g;
    let start = reshape((iota(V * D) * 37) % 101 - 50, [V, D]) as f32 to @g;
    plain = start;
    plain_whole = start;
    tall = start to (tp=S(0));
    tall_whole = start to (tp=S(0));
    wide = start to (tp=S(1));
    wide_whole = start to (tp=S(1));
    half = start as bf16;
    half_whole = start as bf16;
    decayed = start;
    line = start[.., 3];
    line_whole = start[.., 3];
    for i in 0..steps {
        let d = grad(loss)(plain, few);
        old = plain;
        plain -= 0.3 * d;
        let e = grad(loss)(plain_whole, few);
        plain_whole -= 0.3 * e;
        kept = e;
    }
    for i in 0..steps {
        tall -= 0.3 * grad(loss)(tall, few + (i as i32));
        let e = grad(loss)(tall_whole, few + (i as i32));
        tall_whole -= 0.3 * e;
        kept_tall = e;
    }
    for i in 0..steps {
        wide = wide - 0.3 * grad(loss)(wide, few);
        let e = grad(loss)(wide_whole, few);
        wide_whole -= 0.3 * e;
        kept_wide = e;
    }
    for i in 0..steps {
        half -= 0.25 * grad(loss_half)(half, few);
        let e = grad(loss_half)(half_whole, few);
        half_whole -= 0.25 * e;
        kept_half = e;
    }
    for i in 0..steps {
        line -= 0.3 * grad(loss_line)(line, few);
        let e = grad(loss_line)(line_whole, few);
        line_whole -= 0.3 * e;
        kept_line = e;
    }
    for i in 0..steps {
        decayed = 0.5 * decayed - 0.3 * grad(loss)(decayed, few);
    }
    assert_equal(plain, plain_whole);
    assert_equal(tall, tall_whole);
    assert_equal(wide, wide_whole);
    assert_equal(half, half_whole);
    assert_equal(line, line_whole);
    print("plain", plain[7], plain[8], old[7], sum(plain));
    print("tall", tall[7] to B, tall[299] to B, sum(tall) to B);
    print("wide", wide[0] to B, sum(wide) to B);
    print("half", half[7], sum(half));
    print("line", line[7], line[150], sum(line));
    print("decayed", decayed[7], decayed[8], sum(decayed));
    let fresh = plain - 0.3 * grad(loss)(plain, few);
    old = plain * sum(fresh);
    plain = fresh;
    print("wanted", plain[7], old[7], old[8]);
    plain -= 0.3 * grad(loss_there)(plain, some);
    print("there", plain[3], plain[299], sum(plain));
}
