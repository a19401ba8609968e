// `to` between all layouts, on one placement and between several: whole, disjoint, overlapping, permuted.
//% fold 1 (2 3) 4
place left  = ranks(0..2);
place right = ranks(2..4);
place three = ranks(1..4);
place back  = ranks([3, 0, 2, 1]);
place one   = ranks([2]);


main {
    let x = reshape(iota(15) as f32, [3, 5]) + 1.0;
    let a = x to @left : S(0);
    let b = a to @right : S(1);
    let c = b to @three : S(0);
    let d = c to @back : S(1);
    let e = d to @one;
    let f = e to @left : P;
    let g = f to @right : B;
    let h = g to @back : P(max);
    let i = h to @three : S(1);
    let j = i to @left : P(min);
    let k = j to @one : B;
    let l = k to @back : S(0);
    let m = l to @three : P(prod);
    let n = m to @right : S(0);
    let o = n to @left : B;
    print(sum(a) to B, sum(b) to B, sum(c) to B, sum(d) to B, sum(e) to B, sum(f) to B, sum(g), max(h) to B, sum(i) to B, min(j) to B, sum(k), sum(l) to B, prod(m) to B, sum(n) to B, sum(o));
    print(o, (o to S(1)) to B, d to B, i to B);
    let r = ((x to @left : S(0)) to @left : S(1)) to @left : P;
    let q = ((r to S(0)) to P) to B;
    print(q, x to @back : S(0) to @back : S(1) to @back : B);
    let v = (iota(3) as i32 to @back : S(0)) to @right : S(0);
    print(v to @one : B, (v > 0) to @left : B, (v as u8) to @three : B, (v as f64) to @back : B);
}
