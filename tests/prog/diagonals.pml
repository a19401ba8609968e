// The diagonal of a matrix whose rows or columns are shared out. Values by hand.
//% layouts 0 (1) 2 (4) 3 (5)
const LAYOUT : int = 0;
const A : int = [1, 2, 3, 2, 1, 2][LAYOUT];
const B2 : int = [1, 1, 1, 2, 3, 2][LAYOUT];
place grid = ranks(0..A * B2) as (a = A, b = B2);
op diagonal(x[i, i]) -> [i] = x;
op trace(x[i, i]) -> [] = sum[i] x;
main {
    let x = reshape(iota(25) as f32, [5, 5]) to @grid : (a=S(0), b=S(0));
    let y = reshape(iota(25) as f32, [5, 5]) to @grid : (a=S(1), b=S(1));
    print(diagonal(x) to B, diagonal(y) to B, trace(x) to B, trace(y) to B, diagonal(x * 2.0 to (b=S(1))) to B);
}
