//% ranks 1 2
//% args --word=grün
// Texts by their bytes, and lines printed in pieces.
const N : int = 1;
place p = ranks(0..N);
config word : string = "none";
main {
    let size = length("four");
    print(size, length(""), length(word), "abc"[1]);
    for i in 0..length(word) { print(char(word[i]), end = ""); }
    print(end = "|\n");
    print("a", 1, end = "; ");
    print(2.5, true, end = "");
    print("", "x");
    var i = length(word) - 1;
    while i >= 0 {
        print(word[i], end = if i > 0 => ", " else "\n");
        i -= 1;
    }
    let x = full(65, [3], i32) to @p : S(0);
    for k in 0..3 { print(char((x to B)[k] + k), end = ""); }
    print();
    print("[" + char(0) + "]", full(1.0, [2, 2]), end = " end\n");
}
