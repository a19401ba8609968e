// Slices along a split dimension of what is an unfinished sum on the other axis: on one axis alone each would be read through a window,
// which a sum that is unfinished on the other cannot be. Values from NumPy.
//% fold 1 2 4
//% bits views_on_meshes
place m = ranks(0..4) as (x = 2, y = 2);

main {
    let parts = reshape((iota(80) * iota(80)) % 13, [4, 5, 4]) as f64 to @m : (x=S(0), y=S(2));
    let s = sum(parts, dim = 0);                                       // (x=P, y=S(1))
    let (a, b) = (s[.., 0..2], s[.., 2..4]);
    let c = cos(iota(2) as f64);
    print(concat([a * c - b * c, b * c + a * c]) to B);
}
