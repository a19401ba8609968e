//% test 1 (2) 4
// Host values, loops and branches, and tensors that live on across them.
place all = ranks(0..4);
state count : f32 @ all = zeros();
config n : int = 5;
fn early(k: int) { if k > 2 { return "big"; } return "small"; }

test "loops and branches" {
    var total = 0;
    var x = ones([4]) to @all : S(0);
    for i in 0..n {
        total += i;
        x = x + 1.0;
        if i % 2 == 0 { x = x * 2.0; } else { total += 100; }
        count = count + 1.0;
    }
    assert_equal(total, 210);
    assert_close(sum(x) to B, 112.0);
    assert_close(count, 5.0);
    while total > 100 { total = total - 60; }
    assert(total == 90);
    assert(early(3) == "big");
    var s = 0.0;
    for i in 0..3 { s += sum(x) to B; }
    assert_close(s, 336.0);
    assert(sum(x to B) > 111.0);
    if (sum(x) to B) > 300.0 { assert(false); } else { assert(true); }
}
