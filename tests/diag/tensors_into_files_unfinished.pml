// A file has finished values.
import std.data;
place p = ranks(0..2);
param w : f32[3, 4] @ p : S(0) = normal();
main {
    let y = sum(w, 0);
    data.save_npy(y, "sums.npy");  //~ PML0309@19
    data.save_npy(y, "y.npy");     //~ PML0309
    data.save_npy(y to S(0), "y.npy");
    data.save_npy(sum(w) to B, "y.npy");
}
