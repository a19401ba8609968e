// Views and copies that change shapes. Values: expected.py (numpy).
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);

main {
    let s = reshape(iota(24) as f32, [2, 3, 4]) to @p : B;
    print("transpose", transpose(s to S(1)) to B, transpose(s[0] to S(0)) to B);
    print("permute", permute(s to S(2), [2, 0, 1]) to B, permute(s, [1, 0, 2]));
    print("reshape", reshape(s, [6, 4]), reshape(s, [2, -1]), reshape(s, [1, 24, 1])[0, 5..8], flatten(s));
    print("split reshape", reshape(s to S(1), [2, 3, 2, 2]) to B, reshape(iota(12) as f32 to @p : S(0), [12, 1]) to B);
    let v = iota(3) as f32 to @p : S(0);
    print("broadcast", broadcast(v, [2, 3]) to B, broadcast(reshape(v to B, [3, 1]), [3, 2]));
    print("concat", concat([v, v * 10.0, v - 1.0]) to B, concat([s[0], s[1, 0..1]], dim = 0));
    print("concat", concat([s to S(1), s to S(1)], dim = 2) to B, concat([s to S(1), s to S(1)], dim = 1) to B);
    print("pad", pad(v, before = 1, after = 2) to B, pad(s[0], before = 1, dim = 0), pad(s to S(0), after = 1, dim = 1) to B);
    print("made", full(2.5, [3]), zeros([2]), ones([2, 2], dtype = i32), iota(4), full(true, [2], dtype = bool), full(7, [2], dtype = u8));
    print("sizes", shape(s), rank(s), volume(s), shape(s)[1], s.shape, shape(v), rank(full(1.0, [])));
}
