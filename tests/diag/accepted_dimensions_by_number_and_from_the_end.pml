main {
    let x = ones([2, 3, 4]);
    print(sum(softmax(x, dim = 1)), sum(x, dim = -3), max(x, dim = 0), argmax(x, dim = 1), mean(x, dim = 2));
    print(x[0], x[.., -1], x[1, 0..2, ..], x[.., 1..], x[.., ..-1], sum(concat([x, x], dim = 1)));
}
