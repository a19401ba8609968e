// Structs in micro-batches: what the body takes from outside is cut in the fields, params stay whole; what it gives is averaged.
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);
struct Batch[n] { x : f32[n, 4] @ p : S(0), y : f32[n] @ p : S(0) }
struct Both[n] { batch : Batch[n], extra : (f32, f32) }
struct Net { w : f32[4] @ p, b : f32 @ p }
struct Seen { loss : f32, rows : f32 }
param net : Net = Net(w = [0.1, 0.2, 0.3, 0.4], b = 0.5);
fn objective[n](d: Batch[n], m: Net) {
    let e = d.x @ m.w + m.b - d.y;
    return (sum(square(e)) to B, Seen(loss = mean(square(e)) to B, rows = n));
}
fn of_net[n](d: Batch[n]) { return objective(d, net); }

main {
    let d = Batch(x = reshape(sin(iota(192) as f32), [48, 4]), y = cos(iota(48) as f32));
    let both = Both(batch = d, extra = (1.0, 2.0));
    let kept = Net(w = 2.0 * net.w, b = net.b);
    let ((l, seen), g) = value_and_grad(of_net)(d);
    let ((l4, seen4), g4) = microbatch(4) { value_and_grad(of_net)(both.batch) };
    print(seen, seen4, l / l4, norm(g.net.w - 4.0 * g4.net.w) < 0.001);
    let (whole, parts) = (objective(d, kept)[0], microbatch(2, whole = kept) { objective(d, kept)[0] });
    print(whole / parts, microbatch(2) { [objective(both.batch, net)[1].rows] }, both.extra[1]);
}
