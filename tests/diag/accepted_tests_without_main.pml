fn double(x) { return x * 2.0; }
test "doubling" {
    assert_close(double(ones([3])), full(2.0, [3]));
    assert_equal(iota(3), iota(3));
    assert(sum(ones([3])) > 2.5, "the sum is too small");
    assert(all(ones([3]) > 0.0));
}
