// Reads files of every format: `--what` says which (fuzz_data.c has the files); `make` writes those that programs write.
import std.data;
place p = ranks(0..1);

config what : string = "make";

struct Layer { w : f32[5, 6] @ p = normal(std = 1.0), q : bf16[2, 3] @ p = normal(std = 1.0) }
param layers : [2] Layer;
param table  : f32[7, 4] @ p = normal(std = 1.0);
param mean   : f64 @ p = 2.5;
state count  : i32[3] @ p = iota(3) as i32;

names published {
    layers[i].w[n, m] = "[model.]h.{i}.w"[m, n];
    layers[i].q       = "h.{i}.q" || none;
    table             = "rows" || "others";
    mean              = "mean" || none;
    _                 = "h.{i}.bias";
}

fn show() {
    for i in 0..2 { print(layers[i].w[4, 0..6], layers[i].q[1]); }
    print(table, mean, count);
}

main {
    if what == "make" {
        data.save_npy(table, "rows.npy");
        data.save_npy(mean, "one.npy");
        let people = data.csv("people.csv", columns = ["sex", "class"], text = ["sex", "class"]) as (i32[_], i32[_]);
        data.save_codes(people, "people.codes");
        save("all.safetensors", states = true);
        save("named.safetensors", names = published);
        checkpoint("ckpt", step = 7);
    }
    if what == "csv" || what == "packed" {
        let file = if what == "csv" => "people.csv" else "people.csv.gz";
        let people = data.csv(file, columns = [["age", "fare, in £"], ["sex"], "class"], text = ["sex", "class", "name"], missing = -1.0)
            as (f32[_, 2], i32[_, 1], i32[_]);
        print(data.rows(people), data.texts(people, "class"), data.text(people, "class", 0));
        for (x, s, c) in data.batches(people, size = 2) { print(x, s, c); }
        let pairs = data.sequences(people, length = 2);
        for (x, s, c, there) in data.batches(pairs, size = 2, rest = true) { print(x, s, c, there); }
    }
    if what == "more" {
        let people = data.csv("people.csv", columns = ["sex", "class"], text = ["sex", "class"]) as (i32[_], i32[_]);
        let more = data.csv("people2.csv", columns = [["fare, in £", "age"], ["class", "sex"]], separator = ";", text = ["class", "sex"], codes = people) as (f64[_, 2], u8[_, 2]);
        for (x, c) in data.batches(more, size = 2, shuffle = rng(1)) { print(x, c); }
    }
    if what == "codes" {
        let saved = data.csv("people2.csv", columns = ["class", "sex"], separator = ";", text = ["class", "sex"], codes = "people.codes", unknown = -1) as (i32[_], i32[_]);
        for (n, s) in data.batches(saved, size = 2) { print(n, s); }
    }
    if what == "numbers" {
        let rows = data.csv("numbers.tsv", columns = [[2, 0..2], [1]], separator = "\t") as (i32[_, 3], f32[_]);
        for (x, y, there) in data.batches(rows, size = 3, rest = true) { print(x, y, there); }
    }
    if what == "npy" {
        let d = data.npy("rows.npy") as f32[_, 4];
        for (x, there) in data.batches(d, size = 4, rest = true) { print(x, there); }
        for x in data.batches(data.sequences(d, length = 2, stride = 2, dilation = 3), size = 1) { print(x); }
    }
    if what == "one" {
        for x in data.batches(data.npy("one.npy") as f64[_], size = 1) { print(x); }
    }
    if what == "idx" {
        for x in data.batches(data.idx("rows-idx2-ubyte") as u8[_, 4], size = 2) { print(x); }
    }
    if what == "load"   { load("all.safetensors"); show(); }
    if what == "named"  { load("named.safetensors", names = published); show(); }
    if what == "index"  { load("index/model.safetensors.index.json", names = published); show(); }
    if what == "resume" { print(resume("ckpt")); show(); }
}
