// tests.pml — what tests ask.

// How far a is from b beyond the tolerance. Equal infinities are close.
op violation(a[..], b[..], rtol[], atol[]) -> [..] = where(a == b, 0, abs(a - b) - (rtol * abs(b) + atol));

// The worst one: what `assert_close` wants not to be positive.
fn worst_violation(a, b, rtol, atol) {
    return finish(max(violation(a, b, rtol, atol)));
}

// For `every` of a count that the running program says.
fn check_every(n: int) { assert(n >= 1, message = "`every` takes a count of at least 1"); }

// Whether all elements hold, for `assert` and `assert_equal` of tensors in any layout.
fn all_hold(c) {
    return finish(all(c));
}
