// A code for each place of an image: the nearest vector of a book, through which the derivative goes as if it were not there; what pulls both together;
// how often each is taken. Steps of Adam by a graph whose codes change. Values: expected.py (torch).
//% ranks 1 (2) 3 (4)
//% rtol 1e-4
import std.optim;
const N : int = 1;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
param enc : f32[4, 1, 2, 2] @ p = numbers([4, 1, 2, 2], 331);
param book : f32[8, 4] @ p = numbers([8, 4], 97);
param dec : f32[4, 1, 2, 2] @ p = 0.7 * numbers([4, 1, 2, 2], 59);
state x : f32[7, 1, 6, 6] @ p : S(0) = numbers([7, 1, 6, 6], 101);

fn coded(z) {
    let rows = reshape(permute(z, [0, 2, 3, 1]), [-1, 4]);
    let code = argmin(unsqueeze(sum(square(rows), dim = 1), dim = 1) + sum(square(book), dim = 1) - 2.0 * rows @ transpose(book));
    let q = permute(reshape(book[code], [z.shape[0], 3, 3, 4]), [0, 3, 1, 2]);
    let pull = mean(square(q - stop_gradient(z))) + 0.25 * mean(square(stop_gradient(q) - z)) to B;
    return (as_if(q, z), pull, code);
}
fn objective(x) {
    let (q, pull, code) = coded(conv2d(x, enc, stride = 2));
    return (2.0 * mean(square(conv_transpose2d(q, dec, stride = 2) - x)) + pull to B, pull, code);
}

main {
    for step in 0..4 {
        let ((l, pull, code), g) = value_and_grad(objective)(x);
        print(l, pull, bincount(code to B, 8));
        print(g.enc[1], g.book, g.dec[2]);
        optim.adam(g, lr = 0.05);
    }
    print(reshape(objective(x)[2], [7, 9]) to B);
}
