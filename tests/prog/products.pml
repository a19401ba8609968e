// Everything `@` stands for, split along every index. Values: expected.py (numpy).
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);

main {
    let a = reshape(iota(15) as f32, [3, 5]) - 7.0 to @p : B;
    let b = reshape((iota(20) * 3 % 7) as f32, [5, 4]) to @p : B;
    print("whole", a @ b);
    print("rows", (a to S(0)) @ b to B);
    print("columns", a @ (b to S(1)) to B);
    print("inner", (a to S(1)) @ (b to S(0)) to B);
    print("part", (a to P) @ b to B, a @ (b to P) to B);
    print("named", matmul(a, b));
    let v = iota(5) as f32 to @p : S(0);
    print("vectors", a @ v to B, v @ b to B, v @ v to B, matvec(a to S(0), v to B) to B, vecmat(v to B, b to S(1)) to B, dot(v, v) to B);
    print("outer", outer(v, iota(3) as f32) to B, bias(a, v) to B);
    let s = reshape(iota(30) as f32, [2, 3, 5]) to @p : S(0);
    let t = reshape((iota(40) % 9) as f32, [2, 5, 4]) to @p : S(0);
    print("batched", s @ t to B, s @ b to B, s @ (v to B) to B);
    let r = s to S(1);
    print("rows of batches", r @ (t to B) to B, r @ b to B);
    print("inner of batches", (s to S(2)) @ (t to S(1)) to B);
    print("f64", (a as f64) @ (b as f64), "i32", (a as i32) @ (b as i32));
}
