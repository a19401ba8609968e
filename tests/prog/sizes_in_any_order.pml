// Sizes and placements that another parameter or field tells, wherever it stands.
//% ranks 1 2
const N : int = 1;
place p = ranks(0..N) as (tp = N);
struct Gates[n, m, on: place] { wx : f32[n, 4 * m] @ on, wh : f32[m, 4 * m] @ on : S(1), b : f32[4 * m] @ on, last : f32[m - 1] @ on }
struct Two[n, on: place] { wide : Gates[2 * n, n, on], one : f32[n] @ on }
fn sizes[n, m](x: f32[2 * n + m, m * n], y: f32[m], z: f32[n]) { return [n, m]; }
fn square_of[n](x: f32[n * n, n]) { return n; }
fn first[q: place](x: f32[2] @ q[tp = 0], y: f32[2] @ q) { return sum(x); }
fn total[n, m](g: Gates[2 * n, m, p], x: f32[n]) { return sum(g.wx) + sum(x); }
main {
    print(sizes(zeros([8, 6]), zeros([2]), zeros([3])), square_of(zeros([9, 3])));
    let g = Gates(wx = ones([6, 12]), wh = ones([3, 12]) to @p : S(1), b = zeros([12]), last = ones([2]));
    print(total(g, ones([3])), sum(g.wh) to B, g.last);
    print(Two(wide = g, one = ones([3])).one, first(ones([2]) to @p[tp = 0], ones([2]) to @p));
}
