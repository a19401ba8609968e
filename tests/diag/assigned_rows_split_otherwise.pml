// What is put into rows is tried as converted.
place p = ranks(0..3);

state x : f32[33, 2] @ p : S(0) = zeros([33, 2]);
state y : f32[3, 2] @ p : S(1) = ones([3, 2]);

main {
    var r = x;
    r[13..16] = y; //~ PML0304
    print(r to B);
}
