// What is wrong in a loop over elements ends the program with the same message whether its turns are code or walked through.
//% ranks 1 2
//% fails [--far=20] fails_elements.pml:16:30: error: index 20 is out of range, dimension 1 of `t` has 20 elements
//% fails [--far=20 --check=finite] fails_elements.pml:16:30: error: index 20 is out of range, dimension 1 of `t` has 20 elements
//% fails [--zero=9] fails_elements.pml:16:46: error: division by zero
//% fails [--zero=9 --check=finite] fails_elements.pml:16:46: error: division by zero
const N : int = 1;
place p = ranks(0..N);
config far : int = 5;
config zero : int = -1;
state a : i64[20, 20] @ p = ones();

fn filled(a: i64[20, 20] @ p, far: int, by: int) {
    var t = a;
    for r in 0..20 {
        for j in 3..r { t[r, j + far - 5] += floor_div(t[j, r], j - by); }
    }
    return t;
}

main {
    a = filled(a, far, zero);
    print(sum(a));
}
