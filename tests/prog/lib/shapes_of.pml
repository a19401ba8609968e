// Imported by modules.pml.
import deep.numbers;
const SIDE : int = 3;
const AREA : int = SIDE * SIDE;
place both = ranks(0..2);
param scale : f32[SIDE] @ both = ones();
op triple(a[..]) -> [..] = 3.0 * a;
fn area(n: int) { return n * n + numbers.ONE - 1; }
fn scaled(x: f32[SIDE] @ both) { return triple(x) * scale; }
struct Pair[n] { a : f32[n] @ both = ones(), b : f32[n] @ both = zeros() }
