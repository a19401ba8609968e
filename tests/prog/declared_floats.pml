//% ranks 1 (2)
//% args --step=0.1
// A number that is declared f64 is one where it becomes a tensor by itself, and so is what is computed of it; beside a tensor it is of that one's type.
const N : int = 1;
const TENTH : f64 = 0.1;
const ONE : f64 = 1;
place all = ranks(0..N);
config step : f64 = 0.5;
config rate : f32 = 0.1;
state wide : f64[2] @ all = [1.0, 2.0];
state narrow : f32[2] @ all = [1.0, 2.0];
struct Step { by : f64 }

fn placed(a: f64) { return a to @all; }
fn any_of[t: float](a: t) { return a to @all; }
fn squared(a) { return a * a; }

main {
    let x = step to @all;
    print(x.dtype == f64, x, x as f32);
    print((TENTH to @all).dtype == f64, (ONE to @all).dtype == f64, placed(0.1).dtype == f64, any_of(step).dtype == f64);
    print((Step(by = 0.1).by to @all).dtype == f64, (rate to @all).dtype == f32, (0.1 to @all).dtype == f32);
    print((step * 2.0 to @all).dtype == f64, (2 - step to @all).dtype == f64, (step * rate to @all).dtype == f64, (-step to @all).dtype == f64);
    print((sqrt(step) to @all).dtype == f64, (min(step, 1) to @all).dtype == f64, (rate * 2.0 to @all).dtype == f32);
    var sum_of : f64 = 0.0;
    var i = 0;
    while i < 3 { sum_of += step; i += 1; }
    print((sum_of to @all).dtype == f64, sum_of to @all);
    print(step * narrow, rate * wide, grad(squared)(step));
}
