//% test 2 (1 2)
// Indices that a state holds are looked at where they are: what reads them sees them as they were when the step began, even if it
// changes them, and those that count from the end are left as they are.
place p = ranks(0..2);
state i : i32[6] @ p : B = zeros();
state j : i64 @ p : B = zeros();
state sums : f32[4] @ p : B = zeros();

test "a state that stays" {
    i = [0, 1, 1, 2, 3, 3] as i32;
    for n in 0..3 { sums = sums + (scatter_add(i, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] as f32, 4) to B); }
    assert_equal(sums, [3.0, 15.0, 12.0, 33.0] as f32);
    assert_equal(i, [0, 1, 1, 2, 3, 3] as i32);
}

test "a state that the step changes" {
    i = [0, 1, 1, 2, 3, 3] as i32;
    sums = [0.0, 0.0, 0.0, 0.0] as f32;
    for n in 0..4 {
        let x = scatter_add(i, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] as f32, 4) to B;
        i = (i + 1) % 4;
        sums = sums + x * (n + 1) as f32;
    }
    assert_equal(sums, [1.0 + 2.0 * 11.0 + 3.0 * 4.0 + 4.0 * 5.0, 5.0 + 2.0 + 3.0 * 11.0 + 4.0 * 4.0, 4.0 + 2.0 * 5.0 + 3.0 + 4.0 * 11.0,
                        11.0 + 2.0 * 4.0 + 3.0 * 5.0 + 4.0] as f32);
}

test "from the end" {
    j = -1;
    let a = [1.0, 2.0, 3.0, 4.0] as f32 to @p;
    for n in 0..2 { assert_equal(a[j], 4.0 as f32); }
    assert_equal(j, -1 as i64);
}
