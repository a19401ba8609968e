// Numbers that say what they are, `1.0 as f64`, are that where no tensor says otherwise, in operators and choices too; digits stay.
//% fold 1
op pick(c[..]: bool) -> [..] = if c => 0.1 as f64 else 0.2;

main {
    let m = iota(2) == 0;
    let x = ones([2]);
    let chosen[i] = if m[i] => 0.1 as f64 else 3.0;
    print(where(m, 0.1 as f64, 0.2 as f64).dtype, where(m, 0.1 as f64, 0.2).dtype, where(m, 0.1, 0.2 as f64).dtype, (if m => 0.1 as f64 else 0.0).dtype);
    print(chosen.dtype, pick(m).dtype, where(m, 1 as i8, 0 as i8).dtype, where(m, 5000000000 as i64, 1));
    print(where(m, 1, 0).dtype, where(m, 0.5, 1).dtype, where(m, 1 as i64, 0.5).dtype, where(m, x, 0.5 as f64).dtype);
    print(max(abs(where(m, 0.1 as f64, 0.2 as f64) - ([0.1, 0.2] as f64))) == 0.0);
}
