param w : f32 = 2.0;
state seen : f32 = 0.0;

fn f(a) { return exp(a); }
fn reading(a) { return exp(a) * w; }
fn scaled(a, by: int = 2) { return a * by; }
fn pair(a) { return (a, 2.0 * a); }
fn summed(a, x, da) { return sum(da); }
fn short(a, x) { return x; }
fn two(a, x, da) { return (da, da); }
fn telling(a, x, da) { seen = sum(x); return x * da; }
fn change(a, x, da) { return x * da; }
fn change_of_scaled(a, by, x, da, dby) { return da * by; }
fn change_of_pair(a, x, da) { return (da, 0); }

fn g2(a) { return sum(custom_jvp(f, summed)(a)); }          //~ PML0416@37
fn g3(a) { return sum(custom_jvp(f, short)(a)); }           //~ PML0416@37
fn g4(a) { return sum(custom_jvp(f, two)(a)); }             //~ PML0416@37
fn g5(a) { return sum(custom_jvp(f, telling)(a)); }         //~ PML0411@37
fn g6(a) { return sum(custom_jvp(reading, change)(a)); }    //~ PML0416@34
fn g7(a) { return sum(custom_jvp(scaled, change_of_scaled)(a)); }    //~ PML0416
fn g8(a) { return sum(custom_jvp(scaled, change_of_scaled)(by = 3, a = a)); }
fn g9(a) { let (x, y) = custom_jvp(pair, change_of_pair)(a); return sum(x * y); }

fn one(a, y, dy) { return dy; }
fn lone(a, b, y, dy) { return dy; }
fn wide(a, y, dy) { return stack([dy, dy]); }
fn product(a, b) { return a * b; }
fn h1(a) { return sum(custom_vjp(product, lone)(a, a)); }   //~ PML0416@43
fn h2(a) { return sum(custom_vjp(f, wide)(a)); }            //~ PML0416@37
fn h3(a) { return sum(custom_vjp(f, short)(a)); }           //~ PML0416@37
fn h4(a) { return sum(custom_vjp(pair, one)(a)[0]); }       //~ PML0416@40
fn placed(a) { return (argmax(a), 3); }
fn h8(a) { return sum(a) + custom_vjp(placed, one)(a)[1]; } //~ PML0416@39
fn both(a, found, d) { return d[0] + d[1]; }
fn h9(a) { let (x, y) = custom_vjp(pair, both)(a); return sum(x * y); }
fn h5(a) { return sum(custom_vjp(reading, one)(a)); }       //~ PML0416@34
fn h6(a) { return custom_vjp(f, one)(a); }                  //~ PML0416
fn storing(a, y, dy) { seen = sum(y); return dy; }
fn h7(a) { return sum(custom_vjp(f, storing)(a)); }         //~ PML0411@37

main {
    let a = [1.0, 2.0] as f32;
    print(grad(g2)(a), grad(g3)(a), grad(g4)(a), grad(g5)(a), grad(g6, wrt = "a")(a), grad(g7)(a), grad(g8)(a), grad(g9)(a));
    print(grad(h1)(a), grad(h2)(a), grad(h3)(a), grad(h4)(a), grad(h5, wrt = "a")(a), jvp(h6)(a, a), grad(h7)(a), grad(h8)(a), grad(h9)(a));
    custom_jvp(f, 3)(a);                                    //~ PML0204@19
    custom_jvp(f)(a);                                       //~ PML0203
    custom_jvp(2.0, change)(a);                             //~ PML0204
}
