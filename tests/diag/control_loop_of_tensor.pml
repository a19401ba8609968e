main {
    let n = [3, 5] as i32;
    for t in 0..n { print(t); }                  //~ PML0501@14
    for t in 0..mean(n as f32) { print(t); }     //~ PML0501@14
}
