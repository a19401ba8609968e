// Infinities, no numbers and zeros of both signs in running totals that are finished by the totals of the shards: what comes before one knows nothing of it.
//% ranks 1 2 3 4
const N : int = 1;
place all = ranks(0..N);

state v : f64[13] @ all : S(0) = iota(13) as f64 - 5.0;

fn show(x) { return x to B; }

main {
    let odd = where(v == 2.0, 1.0 / 0.0, where(v == 5.0, -1.0 / 0.0, v));
    print(show(cumsum(odd) to S(0)), show(cumsum(0.0 * v) to S(0)));
    print(show(cumprod(odd) to S(0)), show(cummax(odd) to S(0)), show(cummin(odd) to S(0)));
    print(show(cummax(0.0 * v) to S(0)), show(cumprod(where(v < 0.0, 1.0, -0.0 * v)) to S(0)));
}
