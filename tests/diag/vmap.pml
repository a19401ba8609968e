// What vmap goes over has lines, as many everywhere; what it calls for each line assigns nothing and gives tensors.
place one = ranks(0..1);
state total : f32 @ one = 0.0;
fn scaled(x, s) { return x * s; }
fn counted(x) { total = total + sum(x); return x; }
fn saved(x) { save("x.safetensors"); return x; }                     //~ PML0411
fn now_and_then(x) { every 2 { print(x); } return sum(x); }
fn nothing(x) { let y = x; }
fn place_of(x) { return x.place; }
main {
    let x = uniform(rng(1), [4, 12]) to @one;
    print(vmap(scaled)(x, x[0]));                   //~ PML0414
    print(vmap(scaled)(x, x[0..3]));                //~ PML0414
    print(vmap(scaled)(2, 3));                      //~ PML0414
    print(vmap(scaled, over = "z")(x, 2.0));        //~ PML0414
    print(vmap(scaled, over = ("x", "q"))(x, 2.0)); //~ PML0414
    print(vmap(scaled, over = (0, 5))(x, 2.0));     //~ PML0414
    print(vmap(scaled, over = none)(x, 2.0));       //~ PML0413
    print(vmap(scaled, x)(x, 2.0));                 //~ PML0413
    print(vmap(x)(x));                              //~ PML0204
    print(vmap(counted)(x));                        //~ PML0411
    print(vmap(saved)(x));
    print(vmap(grad(now_and_then, wrt = 0))(x));    //~ PML0411
    let p = vmap(place_of)(x);                      //~ PML0414
    print(vmap(scaled, over = "x")(x, x[0]), vmap(scaled, over = 0)(x, 2.0), vmap(scaled, over = ("x", 1))(x, x));
}
