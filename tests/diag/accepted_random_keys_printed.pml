// A random key prints as its number.
main {
    let k = rng(1);
    print(k, sum(k));
}
