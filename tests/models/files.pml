// Files under other names: everything a `names` block can say, written and read back on any number of ranks.
//   --what=write, read, or the name of a mistake
const P : int = 1;
place p = ranks(0..P);

struct Layer { w : f32[5, 6] @ p : S(0) = normal(std = 1.0), q : f32[2, 3, 4] @ p : S(1) = normal(std = 1.0) }
param layers : [3] Layer;
param table : f32[7, 4] @ p : S(1) = normal(std = 1.0);
param head  : f32[4, 7] @ p : S(0) = normal(std = 1.0);
param low   : bf16[4, 5] @ p : S(0) = normal(std = 1.0);
param high  : f32[4, 5] @ p : S(1) = normal(std = 1.0);
param mean  : f64 @ p = 2.5;
state count : i32[3] @ p = iota(3) as i32;

config what : string = "write";

// Transposed; two params in one tensor, their rows in turn; all layers in one tensor; a state.
names theirs {
    layers[i].w[n, m]    = "model.h.{i}.w"[m, n];
    layers[i].q[a, b, c] = "q"[i, 4 * b + c, a];
    table[v, d]          = "[model.]rows"[2 * v, d];
    head[d, v]           = "[model.]rows"[2 * v + 1, d];
    low                  = "low";
    high[n, m]           = "high"[5 * n + m];
    mean                 = "mean";
    count                = "count";
}

// The same file read otherwise: f32 from bf16, the head from the table, what may be missing.
names others {
    layers[i].w[n, m]    = "[model.]h.{i}.w"[m, n];
    layers[i].q          = none;
    table                = "rows" || "only_table";
    head[d, v]           = "lm_head"[v, d] || "only_table"[v, d];
    low                  = "nothing" || none;
    high                 = "low";
    mean                 = "mean";
    _                    = "unread.{i}.bias";
    _                    = "more";
}

names parts {
    layers[i].w[n, m]    = "h.{i}.w"[m, n];
    layers[i].q          = none;
    table                = "only_table";
    head                 = none;
    low                  = "low";
    high                 = none;
    mean                 = "mean";
}

names upright { layers[i].w = "h.{i}.w"; layers[i].q = none; table = "only_table"; head = none; low = "low"; high = none; mean = "mean"; }
names first  { layers[i].w[n, m] = "h.{i}.w"[m, n]; layers[i].q = none; table = none; head = none; low = "low"; high = none; mean = none; }
names second { layers[i].w = none; layers[i].q = none; table = "only_table"; head = none; low = none; high = none; mean = "mean"; }

fn scale(by) {
    layers[0].w = by * layers[0].w; layers[1].w = by * layers[1].w; layers[2].w = by * layers[2].w;
    layers[0].q = by * layers[0].q; layers[1].q = by * layers[1].q; layers[2].q = by * layers[2].q;
    table = by * table; head = by * head; high = by * high; low = 0.0 * low; count = 0 * count; mean = 0.0 * mean;
}

fn show() {
    for i in 0..3 { print(layers[i].w[4, 0..6] to B, abs(layers[i].q[1, 2] to B)); }
    print(table[3] to B, head[1, 0..7] to B, abs(low[3] to B), high[3] to B, mean, count);
}

main {
    if what == "write" {
        save("theirs.safetensors", names = theirs);
        save("parts.safetensors", names = parts);
        save("a.safetensors", names = first);
        save("b.safetensors", names = second);
    } else {
        scale(0.0);
        if what == "theirs" { load("theirs.safetensors", names = theirs); }
        if what == "others" { load("parts.safetensors", names = others); }
        if what == "index" { load("index/model.safetensors.index.json", names = others); }
        if what == "folder" { load("index", names = others); }
        if what == "wrong" { load("parts.safetensors", names = theirs); }
        if what == "upright" { load("parts.safetensors", names = upright); }
        if what == "absent" { load("absent.safetensors", names = theirs); }
        if what == "plain" { load("parts.safetensors"); }
    }
    show();
}
