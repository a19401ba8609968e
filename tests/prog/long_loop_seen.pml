//% ranks 1
//% args --timeout=0.05
// A `while` of the host whose turns leave something, if only now and then, may go on for longer than --timeout allows one that leaves nothing.
// On one rank: of several, one that gets no processor for so short a time is rightly taken for lost.
const N : int = 1;
place p = ranks(0..N);
param w : f32[3] @ p = full(0.5);
main {
    var (turns, x) = (0, 0.5);
    while turns < 400000000 {
        turns += 1;
        x = 3.7 * x * (1.0 - x); // which takes C as long
        if turns % 200000000 == 0 { print(turns, x > 0.0); }
    }
    print(sum(w));
}
