// What data.csv takes and refuses.
import std.data;
config file : path = "t.csv";
config by   : int  = 2;
main {
    let accepted = data.csv([file, "more.csv"], [["age", "fare"], [0, 3..5], "class"], heading = true, separator = "\t",
                            missing = 0, text = ["class"], unknown = -1) as (f32[_, 2], f64[_, 3], i32[_]);
    let also = data.csv(file, ["class"], text = "class", codes = accepted) as i32[_];
    print(data.texts(accepted, "class"), data.text(also, "class", 0), data.rows(accepted));
    data.save_codes(accepted, "t.codes");
    let a = data.csv(file, 3);                                          //~ PML0209
    let b = data.csv(file, []);                                         //~ PML0209
    let c = data.csv(file, [0]);                                        //~ PML0209
    let d = data.csv(file, [[1.5]]);                                    //~ PML0209
    let e = data.csv(file, [[by]]);                                     //~ PML0209
    let f = data.csv(file, [2], heading = 1);                           //~ PML0209
    let g = data.csv(file, [2], separator = 3);                         //~ PML0209
    let h = data.csv(file, [2], missing = "none");                      //~ PML0209
    let i = data.csv(file, [2], unknown = 0.5);                         //~ PML0209
    let j = data.csv(file, [2], text = [true]);                         //~ PML0209
    let o = data.csv(file, [9223372036854775807, 1]);                   //~ PML0209
    let q = data.csv(file, [[0, 9223372036854775807]]);                 //~ PML0209
    let r = data.csv(file, [[0..9223372036854775807]]);                 //~ PML0209
    let s = data.csv(file, [2], text = [5..100000000]);                 //~ PML0209
    let t = data.csv(file, [2], text = [5..100000]);                    //~ PML0209
    let k = data.csv(file, [2], codes = 7);                             //~ PML0209
    let l = data.csv([file, 3], [2]);                                   //~ PML0209
    let m = data.csv(file, [2], head = true);                           //~ PML0203
    print(data.texts(file, "class"));                                   //~ PML0209
    print(data.text(accepted, 0.5, 1));                                 //~ PML0209
    print(data.text(accepted, "class", "first"));                       //~ PML0209
    data.save_codes(accepted, 3);                                       //~ PML0209
    let n = data.idx([]) as u8[_];                                      //~ PML0209
    for x in data.batches(also, size = 2, rest = 1) { print(1); }       //~ PML0209
    for (x, y) in data.batches(also, size = 2) { print(1); }            //~ PML0217
    for (x, y) in data.batches(also, size = 2, rest = true) { print(1); }
}
