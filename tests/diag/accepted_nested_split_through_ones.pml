// On axes of one rank a nested split goes through a reshape that adds extents of 1, as it does on more.
place grid = ranks(0..1) as (a = 1, b = 1);

main {
    let x = ones([3, 3]) to @grid : (a=S(0), b=S(0));
    var y = reshape(x, [1, 3, 3]);
    for i in 0..2 {
        y = y + (y to (a=S(1), b=S(1)));
    }
    print(sum(y) to B);
}
