// Numbers of all kinds, printed, formatted and logged; steps in a loop without batches.
const N : int = 1;
place all = ranks(0..N);
param w : f32[2] @ all = ones();

main {
    let third = ones([1], dtype = f64)[0] / 3.0;
    print(third as f32, third, third as bf16, third as f16, 0.1 + 0.2);
    print([1.0 / 3.0, 16777216.0] as f32);
    print(format(third, digits = 3), format(third as f32, significant = 2),
        "|" + format(third, digits = 3, width = 9) + "|" + format(-3, width = 4, fill = "0") + "|" + format(1, width = -4) + "|" +
        format(sum(w) > 1.0) + "|" + format(third / 0.0, digits = 1));
    var turns = 0;
    while turns < 3 {
        w -= 0.1 * w;
        turns += 1;
        log(f64 = third, f32 = third as f32, nan = ln(-third), low = -third / 0.0, high = third / 0.0, first = turns == 1);
    }
    log(text = "a \"quoted\" \\ \n\t" + char(200) + " text", turns = turns);
}
