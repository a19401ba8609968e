// Reads through two indices, vectors of them, of which some are far out of range: what they add up to leaves 32 bits, and the lanes beside them do not.
//% ranks 1 3 (2 4)
//% also --target-cpu=x86-64-v3
const N : int = 1;
place all = ranks(0..N);
op at2(x[n, c, h, v], y[n, a]: int, z[n, a]: int) -> [n, c, a] = x[n, c, y?, z?];
main {
  let x = reshape(iota(2 * 3 * 5 * 7), [2, 3, 5, 7]) as f32 + 1.0;
  let y = reshape([0, 4, 5, -1, 2147483647, -2147483648, 2, 3, 1, 0, 4, 4, 2, -2147483648, 2147483647, 3, 1, 2, 0, 1, 2, 3, 4, 5, 6, 7, -3, 2147483646, 613566757, 858993460, 1, 0], [2, 16]) as i32;
  let z = reshape([0, 6, 1, 1, 1, 1, 7, -1, 2147483647, -2147483648, 6, 5, 4, 3, 2, 1, 0, 6, 613566757, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 858993460], [2, 16]) as i32;
  print(at2(x to @all : B, y to @all : S(1), z to @all : S(1)) to B);
}
