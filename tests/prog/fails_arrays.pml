// Files that are no arrays of NumPy: an empty one, and an archive of some.
//% fails [-D FILE=empty.csv] empty.csv` is not a .npy file: it is empty
//% fails [-D FILE=arrays.npz] arrays.npz` is not a .npy file, but an archive of some (.npz)
import std.data;
const FILE : string = "empty.csv";
main {
    let d = data.npy("tests/prog/tables/edges/" + FILE) as f32[_];
    print(data.rows(d));
}
