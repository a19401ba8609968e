param w : f32[3, 4] = ones();
param t : f64[3, 4] = ones();
state i : i32[3, 4] = ones();
main {
    let z = w + t * 2.0 - t / w + t;                  //~ PML0202@17
    let y = w + t + sum(t * w) + (i + w);             //~ PML0202@17 PML0202@39
    let x = w
        + t                                           //~ PML0202@11
        - sum(t * w);                                 //~ PML0202@19
    print(hypot(w, t) + hypot(t, w), x, y, z);        //~ PML0202@11
}
