// Products of whole numbers of 8 bits, summed up in 32: by the processor's dot products, against loops over the same numbers stored in 32 bits. All
// signs, the largest numbers, all ways operands lie, batches, windows, sizes around words and vectors.
//% ranks 1 2 (3)
//% also --loops=unrolled
const N : int = 1;
place g = ranks(0..N);

/// Whole numbers that look drawn, the least and the largest of their type among them.
fn numbers(k: int, n: int, m: int) {
    let x = (iota(n * m) + k) % 1009;
    let some = (x * x * 37 + x * 11) % 256 - 128;
    return reshape(where(x % 5 == 0, -128, where(x % 7 == 0, 127, some)), [n, m]) as i32 to @g;
}

/// The same product by loops: of what is stored in 32 bits.
fn slow(a, b) { let c[i, j] = sum[k] a[i, k] * b[k, j]; return c; }

fn check(m: int, k: int, n: int) {
    let a = numbers(m, m, k); let b = numbers(n, k, n);
    let i = a as i8; let u = (a + 128) as u8;
    let j = b as i8; let v = (b + 128) as u8;
    let at = transpose(a) as i8; let bt = transpose(b + 128) as u8;
    let want = slow(a, b); let over = slow(a, b + 128);
    print(m, k, n, max(abs((i as i32) @ (j as i32) - want)), max(abs((i as i32) @ (v as i32) - over)),
          max(abs((u as i32) @ (j as i32) - slow(a + 128, b))), max(abs((u as i32) @ (v as i32) - slow(a + 128, b + 128))),
          max(abs(transpose(at as i32) @ (j as i32) - want)), max(abs((i as i32) @ transpose(bt as i32) - over)),
          max(abs(transpose(at as i32) @ transpose(bt as i32) - over)), sum(want));
}

main {
    check(16, 16, 16);
    check(33, 65, 17);
    check(7, 129, 66);
    check(1, 200, 77);
    check(90, 130, 1);
    check(49, 3, 50);

    let a = reshape(numbers(1, 12, 35), [3, 4, 35]); let b = reshape(numbers(2, 105, 20), [3, 35, 20]);
    let batched = ((a as i8) as i32) @ ((b as i8) as i32);
    let one[x, i, j] = sum[k] a[x, i, k] * b[x, k, j];
    print(max(abs(batched - one)), sum(batched));

    let image = reshape(numbers(3, 12, 12), [1, 1, 12, 12]); let w = reshape(numbers(4, 8, 9), [8, 1, 3, 3]);
    let windows = conv2d((image as i8) as i32, (w as i8) as i32);
    print(max(abs(windows - conv2d(image, w))), sum(windows));
}
