// More turns than a list has values for end the program, with the line, where the loop is code of its own as well, and where it stands in another.
//% ranks 1 (2)
//% fails [--n=70] fails_turns_of_list.pml:14:14: error: this loop is to make 64 turns at the most, and would make 70
//% fails [--more=70] fails_turns_of_list.pml:20:18: error: this loop is to make 64 turns at the most, and would make 73
const N : int = 1;
place p = ranks(0..N);
config n    : int = 3;
config more : int = 0;
param ws : [64] f32 @ p = ones();
param x : f32 @ p = ones();

fn once(n: int) {
    var s = x;
    for i in 0..n { s = s + ws[i] * x; }
    return s;
}
fn twice(n: int) {
    var s = x;
    for k in 0..3 {
        for i in 0..n + k { s = s + ws[i] * x; }
    }
    return s;
}

main {
    print(twice(3 + more));
    print(value_and_grad(once)(n)[0], value_and_grad(twice)(3)[0]);
}
