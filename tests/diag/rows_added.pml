// What is added to rows is converted where it stands behind the sign: what stands before it is no expression.
place p = ranks(0..4);
state x : f32[12] @ p : S(0) = zeros();
state y : f32[12] @ p : S(0) = zeros();
state z : f32[12] @ p : S(0) = zeros();
state i : f32[12] @ p : S(0) = zeros();
main {
    let q = relu(i[0..2]);
    x[2..4] += i[0..2];  //~ PML0304
    y[5..7] += q;        //~ PML0304
    z[2..4] = i[0..2];   //~ PML0304
    i[5..7] += i[0..2];  //~ PML0304
    print(sum(x) + sum(y) + sum(z) + sum(i) to B);
}
