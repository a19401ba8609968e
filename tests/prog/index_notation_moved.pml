// A `to` behind index notation moves the result: what is read around shards is fetched for it, a reduction is finished, and it may go elsewhere.
//% ranks 1 2 3 4
const N : int = 1;
place all = ranks(0..N);
place first = ranks(0..1);

main {
    let x = iota(10) * iota(10) to @all : S(0);
    let d[j] = x[j] - x[(j - 1)?] to S(0);
    let total[] = sum[j] d[j] * x[j] to B;
    var twice[j] = 2 * d[j] to @first : B;
    twice = twice + 1;
    print(d to B, total, twice);
}
