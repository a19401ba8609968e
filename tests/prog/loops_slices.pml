// Slices that begin where only the running program knows, or the number of a turn says: read, replaced and added to, in loops as they are and turn by
// turn; blocks that are lines of a loop, blocks that are not, backward, of split tensors; loops whose count is the number of a turn around
// them; gradients against differences.
//% ranks 1 (2) 3 (4)
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }

// Blocks of both dimensions, put together in order and backward; what is left out keeps what it was.
fn blocks(x) {
    var y = x * 0.5;
    var z = x;
    for i in 0..4 {
        let block = x[.., i * 3..(i + 1) * 3, ..];
        y[.., i * 3..i * 3 + 3, ..] = tanh(block) * (i + 1);
        z[.., 9 - 3 * i..12 - 3 * i, ..] = block * block;
    }
    for i in 0..2 { y[.., .., 2 * i..2 * (i + 1)] = y[.., .., 2 * i..2 * (i + 1)] * 2.0; }
    return y + z;
}
// Blocks that overlap, or do not divide the dimension: rows by their numbers.
fn windows(x) {
    var y = x * 0.0;
    var s = x[.., 0..4, ..] * 0.0;
    for i in 0..5 {
        y[.., 2 * i + 1..2 * i + 4, ..] = y[.., 2 * i + 1..2 * i + 4, ..] * 0.5 + x[.., i..i + 3, ..];
        s = s * x[.., 2 * i..2 * i + 4, ..] + x[.., 8 - i..12 - i, ..];
    }
    return concat([y, s * s], dim = 1);
}
// Lines: all of a tensor, some of one, in steps; a number for each.
fn lines(x) {
    var y = x;
    var z = x;
    var n = zeros([8]) as f64;
    for i in 0..8 {
        y[.., i + 2, ..] = x[.., 11 - i, ..] * 2.0;
        z[.., i, ..] = z[.., i, ..] + x[.., 0, ..];
        n[i] = 0.25 * i;
    }
    return y * sum(n) + z;
}
// The triangle of pairs of blocks.
fn triangle(x) {
    var y = x;
    for i in 0..4 {
        var sum_of_row = x[.., 3 * i..3 * i + 3, ..];
        for j in 0..i { sum_of_row = sum_of_row * 0.9 + x[.., 3 * j..3 * (j + 1), ..] * x[.., 3 * i..3 * (i + 1), ..]; }
        for j in i..4 { if j % 2 == 1 { sum_of_row = sum_of_row * 1.1 + tanh(x[.., j..j + 3, ..]) * 0.1; } }
        y[.., 3 * i..3 * i + 3, ..] = sum_of_row;
    }
    return y;
}

fn weighed(f, x) { let y = f(x); return sum(y * (reshape(iota(volume(y)) % 7, shape(y)) as f64)) to B; }
fn of_blocks(x) { return weighed(blocks, x); }
fn of_windows(x) { return weighed(windows, x); }
fn of_lines(x) { return weighed(lines, x); }
fn of_triangle(x) { return weighed(triangle, x); }
fn by_row(x, i) { return x[.., i..i + 2, ..]; }

main {
    let x = ramp([4, 12, 4], 5) to @p;
    let rows = x to S(0);
    print(of_blocks(x), of_windows(x), of_lines(x), of_triangle(x));
    print(of_blocks(rows), of_windows(rows), of_lines(rows), of_triangle(rows));
    print(sum(abs(grad(of_blocks)(rows))) to B, sum(abs(grad(of_windows)(rows))) to B, sum(abs(grad(of_lines)(rows))) to B, sum(abs(grad(of_triangle)(rows))) to B);
    check_gradient(of_blocks, x);
    check_gradient(of_windows, x);
    check_gradient(of_lines, x);
    check_gradient(of_triangle, x);
    // Loops of the host know where slices begin when the program runs.
    var y = x;
    for i in 0..3 { y[1, 4 * i..4 * (i + 1), 2] = reshape(by_row(x, 2 * i)[2, .., 0..2], [4]); }
    print(y[1]);
}
