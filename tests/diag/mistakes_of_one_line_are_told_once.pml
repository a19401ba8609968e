// What follows a mistake on its line is no news, whatever the parser makes of it.
import std.nn as nn; //~ PML0001@15
place p = ranks(0..2);
from std import optim; //~ PML0001@1
param net : f32[3] = ones();
main {
    let d = {"a": 1}; //~ PML0001@13
    assert 1 == 1, "same"; //~ PML0001@12
    let z = 1 if true else 0; //~ PML0001@15
    for (let i = 0; i < 10; i++) { } //~ PML0001@10
    if true { print(1); } elif false { print(2); } //~ PML0001@32
    let ys = [2 * i for i in 0..3]; //~ PML0001@21
}
