// Powers of tensors of ints by numbers known when compiling: of every exponent from 0 on, in the type's own bits.
//% ranks 1 2 (3)
const N : int = 1;
place p = ranks(0..N);
const K : int = 21;

main {
    let x = [0, 1, -2, 3, 5, -7] as i32 to @p : S(0);
    print(x ** 0 to B, x ** 1 to B, x ** 3 to B, x ** 9 to B, x ** K to B);
    let u = x as u8;
    print(u ** 0 to B, u ** 2 to B, u ** 10 to B, u ** 255 to B);
    print((x as i64) ** 22 to B);
}
