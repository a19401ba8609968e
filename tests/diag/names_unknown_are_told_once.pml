// Once in each item, since another one may mean another name; a word from elsewhere once in the file.
fn f(x) {
    let y = totl + x; //~ PML0101@13
    for i in 0..3 { print(totl); }
    return loss.mse(totl, y); //~ PML0101@12
}
fn g(x) {
    let total = x + 1;
    return totl * loss.mse(x, totl); //~ PML0101@12
}
fn h(x: f32[n, n], y: f32[n]) { return loss.l1(x, y); } //~ PML0101@13
main {
    count += 1; //~ PML0101@5
    count += 2;
    print(count, np.sum([1, 2])); //~ PML0101@18
    print(np.mean([1, 2]), loss.mse(1, 2));
}
