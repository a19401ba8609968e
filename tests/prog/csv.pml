// Tables as people have them: quotes, headings, columns by name, number and range, missing numbers, texts as codes.
//% ranks 1 (2) 3 (4)
import std.data;
const N : int = 1;
place p = ranks(0..N);
config folder : path = "tests/prog/tables";

main {
    let people = data.csv(folder / "people.csv", columns = [["age", "fare, in £"], ["sex"], "class"], text = ["sex", "class", "name"], missing = -1.0)
        as (f32[_, 2], i32[_, 1], i32[_]);
    print(data.rows(people), data.texts(people, "class"), data.text(people, "class", 0), data.text(people, "name", 2));
    for (x, s, c) in data.batches(people, size = 5) { print(x to @p : S(0) to B, s to @p, c to @p); }
    // Codes of another file, by name and from a file of them; a text that has none.
    data.save_codes(people, "people.codes");
    let more = data.csv(folder / "people2.csv", columns = [["fare, in £", "age"], ["class", "sex"]], separator = ";", text = ["class", "sex"], codes = people) as (f64[_, 2], u8[_, 2]);
    for (x, c) in data.batches(more, size = 2) { print(x to @p, c to @p : S(1) to B); }
    let saved = data.csv(folder / "people2.csv", columns = ["name", "sex"], separator = ";", text = ["name", "sex"], codes = "people.codes", unknown = -1) as (i32[_], i32[_]);
    for (n, s) in data.batches(saved, size = 2) { print(n to @p, s to @p); }
    // By number; a line that counts from 0 is a heading or a row as the program says.
    let numbers = folder / "numbers.tsv";
    let rows = data.csv(numbers, columns = [[2, 0..2], [1]], heading = false, separator = "\t") as (i32[_, 3], f32[_]);
    for (x, y) in data.batches(rows, size = 3) { print(x to @p : S(0) to B, y to @p); }
    let columns = data.csv(numbers, columns = ["2", "0"], separator = "\t") as (i32[_], i32[_]);
    for (x, y) in data.batches(columns, size = 2, shuffle = rng(1)) { print(x to @p, y to @p); }
    let comma = data.csv(folder / "comma.csv", columns = [["width", "height"]], separator = ";", decimal = ",") as f32[_, 2];
    for x in data.batches(comma, size = 2) { print(x to @p : S(0) to B); }
    // Several files: a list and a pattern, rows one after the other, with the codes of all.
    let both = data.csv([folder / "people.csv", folder / "people.csv"], columns = [["age"], "sex"], text = ["sex"], missing = 0) as (f32[_, 1], i32[_]);
    print(data.rows(both));
    for (x, s) in data.batches(both[3..9], size = 6) { print(sum(x to @p : S(0)) to B, s to @p : S(0) to B); }
}
