// A line of split rows that a loop of a function takes is on one rank: what is told of is the whole of `xs[i]`, which a `to` can follow.
place p = ranks(0..2);
fn told(xs) { var s = 0.0; for i in 0..4 { s = tanh(s + sum(square(xs[i]))); } return s; }        //~ PML0307@68
fn counted(xs) { var s = 0.0; for i in 0..4 { s = s + sum(square(xs[3 - i] to B)); } return s; }
fn each_line(x) { var h = x; for i in 0..3 { h = tanh(h + sum(h)); } return sum(h); }
main {
    let xs = normal(rng(1), [4, 3]) to @p : S(0);
    print(told(xs), counted(xs));
    print(vmap(each_line)(xs to B));
}
