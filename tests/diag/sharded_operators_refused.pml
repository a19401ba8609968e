// What other libraries of distributed tensors must not let pass, since it would be another value: functions that are not linear of sums that are not finished,
// products of two of them, maxima of sums, splits that do not go with each other.
place all = ranks(0..2);
place mesh = ranks(0..4) as (u = 2, v = 2);

fn refused(x: f32[6, 4] @ all : S(1), y: f32[4, 6] @ all : S(0)) {
    let p = x @ y;
    let a = relu(p);                            //~ PML0307
    let b = p * p;                              //~ PML0307
    let c = exp(p);                             //~ PML0307
    let d = max(p, dim = 0);                    //~ PML0307
    let e = softmax(p);                         //~ PML0307
    let f = 1.0 / p;                            //~ PML0307
    let g = p > 0.0;                            //~ PML0307
    let h = argmax(p);                          //~ PML0307
    let i = p @ p;                              //~ PML0308
    let j = sort(p);                            //~ PML0307
    let k = sqrt(sum(p));                       //~ PML0307
    let l = p as i32;                           //~ PML0307
    let m = where(p > 0.0, 1.0, 0.0);           //~ PML0307
    let n = norm(p);                            //~ PML0307
    let o = abs(p);                             //~ PML0307
    let q = clamp(p, -1.0, 1.0);                //~ PML0307
    return sum(p);                              //~ PML0309
}

fn maxima(x: f32[6, 4] @ all : S(1)) {
    let p = max(x, dim = 1);
    let a = p + p * -1.0;                       //~ PML0308
    let b = sum(p);                             //~ PML0307
    let c = p @ (ones([6, 2]) to @all : B);     //~ PML0307
    let d = square(p);                          //~ PML0307
    return min(p, 3.0) to B;
}

fn splits(x: f32[6, 4] @ all : S(0), y: f32[6, 4] @ all : S(1)) {
    let a = x + y;                              //~ PML0304
    let c = x @ transpose(x);                   //~ PML0304
    let d = concat([x, y], dim = 0);            //~ PML0304
    let e = layernorm(y, ones([4]) to @all : S(0), zeros([4]) to @all : S(0));
    return sum(x);                              //~ PML0309
}

main {
    let x = ones([6, 4]);
    print(refused(x to @all : S(1), transpose(x) to @all : S(0)) to B);
    print(maxima(x to @all : S(1)));
    print(splits(x to @all : S(0), x to @all : S(1)) to B);
}
