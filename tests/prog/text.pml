// Strings and paths. Values by hand.
//% ranks 1 3
//% args --who=you --folder=/tmp
config who : string = "me";
config folder : path = "/usr";
const N : int = 1;
place p = ranks(0..N);
fn greet(name: string, mark: string = "!") { return "hello " + name + mark; }
main {
    print(greet(who), greet("all", mark = "?"), "tab\tquote\"backslash\\", "");
    print(folder / "a" / "b.txt", folder / who, "" + folder);
    print("n is " + 3, "x is " + 0.5, 1 + 2 + " is three", "sum " + (1 + 2));
    var n = 0.0;
    n += 268435456.0;
    print("whole " + n, "" + 16777216.0, "" + -n, "" + 9007199254740992.0, "not " + 1000000.0, "" + 0.1);
    print(who == "you", who != "you", who == "me", who + "s" == "yous");
    print("caf\xc3\xa9 é 漢字", "a" + "b" + "c");
    var s = "";
    for i in 0..4 { s += "x" + i; }
    print(s);
    let x = iota(3) as f32 to @p;
    print("sum " + sum(x) + "!", "of", x, shape(x) == [3], shape(x) != [3], [1, 2] == (1, 2), [1] == [1, 2]);
    if who == "you" { print("yes"); } else { print("no"); }
    print(if sum(x) > 2.0 => "large" else "small");
}
