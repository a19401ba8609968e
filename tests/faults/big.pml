// Parameters that take a while to save: 24 MB on four ranks, saved again and again with other contents.
import std.data;
config out   : path = "big.safetensors";   /// where to save
config array : path = "";                  /// where to save w as a .npy file instead; empty: nowhere
config saves : int  = 1;                   /// how often
place all = ranks(0..4);
param w : f32[1500, 4000] @ all : S(0) = zeros();
param b : f32[1000] @ all : B = zeros();
main {
    for i in 0..saves {
        w = w + 1.0;
        b = b + 1.0;
        if array == "" { save(out); } else { data.save_npy(w, array); }
        log(saved = i);
    }
    print("sum", sum(w) to B, sum(b));
}
