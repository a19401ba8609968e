const K : int = 3;
fn batches(x) { return x; }
struct Pair { a : f32[K], b : f32[K] }
