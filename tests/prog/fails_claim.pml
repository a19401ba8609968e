// What the file holds is not what the program claims.
//% fails has shape [28, 28], the program takes it for [10, 10]
import std.data;
place p = ranks(0..2);
main { let d = data.idx("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz") as u8[_, 10, 10]; for x in data.batches(d, size = 2) { print(sum(x as f32 to @p : S(0)) to B); } }
