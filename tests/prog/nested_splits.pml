// One dimension split over two axes, unevenly, through reductions, slices and permutations. Values from NumPy.
//% fold 1 6
place g = ranks(0..6) as (a = 3, b = 2);
main {
    let x = reshape(iota(105), [7, 5, 3]) as f32 to @g : (a=S(0), b=S(0));
    print(sum(x) to B);
    print(sum(x, dim = 0) to B);
    let s = sum(sum(x, dim = 2), dim = 0);
    print(s to B);
    print(permute(x, [2, 0, 1]) to B);
    print(sum((x * 2.0)[1..6], dim = 1) to B);
    print(max(x, dim = 1) to B);
    let y = x to (a=S(1), b=S(1));
    print(argmax(y, dim = 0) to B);
}
