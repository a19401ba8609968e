// What cannot be written into a .npy file.
import std.data;
place p = ranks(0..2);
param w : f32[3, 4] @ p : S(0) = normal();
fn saves(x: f32[4]) { data.save_npy(x, "a.npy"); return sum(x * x); }  //~ PML0411
fn f(x: f32[4, 3]) { return sum(x); }
main {
    data.save_npy(w as bf16, "y.npy");                                       //~ PML0202
    data.save_npy("a.npy", w);                                               //~ PML0203
    data.save_npy(3.5, "a.npy");                                             //~ PML0209
    data.save_npy([[1, 2], [3, 4]], "a.npy");                                //~ PML0209
    data.save_npy(w, 3);                                                     //~ PML0209
    data.save_npy(w);                                                        //~ PML0203
    data.save_npy(w, "x", 2);                                                //~ PML0203
    let g = grad(saves)(ones([4]));
    print(microbatch(2) { data.save_npy(w, "a.npy"); f(ones([4, 3])) });     //~ PML0522
    let accepted = [[1, 2], [3, 4]] as u8;
    data.save_npy(accepted, "a.npy");
    data.save_npy(w to S(1), "a.npy");
}
