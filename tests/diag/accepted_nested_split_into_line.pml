// On axes of one rank a nested split goes through a reshape to one dimension, as it does on more: there is but one to split.
place grid = ranks(0..1) as (a = 1, b = 1);

main {
    let x = ones([6, 7]) to @grid : (a=S(0), b=S(0));
    var y = reshape(x, [42]);
    for i in 0..2 {
        y = y + (y to (a=S(0), b=S(0)));
    }
    print(sum(y) to B);
}
