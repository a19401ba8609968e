const D : int = 4 * 2 ** 3;
const HALF : int = D / 2;
const EPS : float = 1e-5;
const NAME : string = "run " + D;
const SCALE : float = 1.0 / sqrt(64.0);
config lr : f32 = 0.1;             /// step size
config epochs : int = 3;
config verbose : bool = true;
config dir : path = "data";
config title : string = NAME;
param w : f32[HALF, D] = normal(std = SCALE);
main {
    if verbose { print(title, dir / "x" / "y", lr * 2, epochs % 2, EPS); }
    print(if epochs > 2 => "long" else "short", floor_div(epochs, 2), max(lr, 0.5), exp(lr));
}
