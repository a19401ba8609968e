// Files that are no arrays of NumPy: an empty one, and an archive of some.
//% fails [--file=tests/prog/tables/edges/empty.csv] empty.csv` is not a .npy file: it is empty
//% fails [--file=tests/prog/tables/edges/arrays.npz] arrays.npz` is not a .npy file, but an archive of some (.npz)
import std.data;
config file : path = "none.npy";
main {
    let d = data.npy(file) as f32[_];
    print(data.rows(d));
}
