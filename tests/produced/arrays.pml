// Arrays whose bytes can be written down by hand.
import std.data;
const N : int = 1;
place p = ranks(0..N);
main {
    let x = (reshape(iota(10), [5, 2]) as i16) to @p : S(0);
    data.save_npy(x, "rows.npy");
    data.save_npy(x to S(1), "columns.npy");
    data.save_npy(reshape(iota(10), [5, 2]) as i16, "here.npy");
    data.save_npy([0.0, 0.5, 1.0] as f32, "half.npy");
    data.save_npy((sum([-1.0, -1.5] as f64) to @p), "one.npy");
    data.save_npy([[true, false], [false, true]] as bool to @p, "bools.npy");
    data.save_npy((zeros([0, 3]) as u32) to @p : S(0), "none.npy");
}
