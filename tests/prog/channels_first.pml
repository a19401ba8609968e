// Elements whose lines touch, as the channels of pixels do, put in lines of their own: 2 to 5 of them, of 1 to 8 bytes, as many pixels as
// vectors hold, and more and fewer. What is expected is said by positions.
//% ranks 1 2 (3 4)
const N : int = 1;
const MOST : int = 655;
place p = ranks(0..N);

state bytes : u8[4, MOST]  @ p : S(0) = zeros();
state halfs : f16[4, MOST] @ p : S(0) = zeros();
state words : f32[4, MOST] @ p : S(0) = zeros();
state longs : i64[4, MOST] @ p : S(0) = zeros();

op numbered(n: int, i: int, of: int, dtype: dtype) -> [n, i] = ((n * 7 + i) % of) as dtype;
op expected(n: int, c: int, w: int, of: int, dtype: dtype) -> [n, c, w] = ((n * 7 + w * extent(c) + c) % of) as dtype;
op channels_first(x[n, w, c]) -> [n, c, w] = x;
op wrong(x[n, i], y[n, i]) -> [] = sum[n, i] if x != y => 1 else 0;

fn tried(x, w: int, c: int, of: int) {
    let y = channels_first(reshape(x[.., 0..w * c], [4, w, c]));
    let z = expected(4, c, w, of = of, dtype = x.dtype) to @p : S(0);
    return wrong(reshape(y, [4, w * c]), reshape(z, [4, w * c])) to B;
}
fn lengths(x, c: int, of: int) {
    return [tried(x, 1, c, of), tried(x, 16, c, of), tried(x, 37, c, of), tried(x, 64, c, of), tried(x, 131, c, of)];
}

main {
    bytes = numbered(4, MOST, of = 251, dtype = u8) to @p : S(0);
    halfs = numbered(4, MOST, of = 2039, dtype = f16) to @p : S(0);
    words = numbered(4, MOST, of = 99991, dtype = f32) to @p : S(0);
    longs = numbered(4, MOST, of = 99991, dtype = i64) to @p : S(0);
    print("u8", lengths(bytes, 2, 251), lengths(bytes, 3, 251), lengths(bytes, 4, 251), lengths(bytes, 5, 251));
    print("f16", lengths(halfs, 2, 2039), lengths(halfs, 3, 2039), lengths(halfs, 4, 2039), lengths(halfs, 5, 2039));
    print("f32", lengths(words, 2, 99991), lengths(words, 3, 99991), lengths(words, 4, 99991), lengths(words, 5, 99991));
    print("i64", lengths(longs, 2, 99991), lengths(longs, 3, 99991), lengths(longs, 4, 99991), lengths(longs, 5, 99991));
}
