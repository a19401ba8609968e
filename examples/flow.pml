// A fluid by the lattice Boltzmann method (D2Q9, one relaxation time): on every point nine densities of particles, each with a velocity of its
// own, relax towards their equilibrium and then move on by one point, periodically. The points are split by rows over the ranks, so
// a step exchanges a row of each density that moves up or down with the ranks beside, and nothing else.
//   pmlc flow.pml && mpiexec -n 4 ./flow
//   pmlc plan flow.pml                     the halos: 12 rows a step
// Begins with a wave of shear, u = sin(2 pi y / POINTS) / 100 along x, which the viscosity (TAU - 1/2) / 3 lets decay as exp(-viscosity k^2 t), and
// prints the viscosity that follows from what is left of it.
const N : int = 4;
const POINTS : int = 64;
const STEPS : int = 400;
const TAU : float = 0.8;
const WAVE : float = 6.283185307179586 / POINTS;

place all = ranks(0..N);

state f : f64[9, POINTS, POINTS] @ all : S(1) = zeros();        // densities by velocity and point

// Velocities and what of the fluid at rest has each.
const X = [0, 1, 0, -1, 0, 1, -1, -1, 1];
const Y = [0, 0, 1, 0, -1, 1, 1, -1, -1];
fn share() { return [16.0, 4.0, 4.0, 4.0, 4.0, 1.0, 1.0, 1.0, 1.0] as f64 / 36.0; }

op moment(f[q, i, j], c[q]) -> [i, j] = sum[q] f * c;
op along(u[i, j], v[i, j], x[q], y[q]) -> [q, i, j] = 3.0 * (x * u + y * v);
op balance(share[q], density[i, j], c[q, i, j], u[i, j], v[i, j]) -> [q, i, j] =
    share * density * (1.0 + c + 0.5 * c * c - 1.5 * (u * u + v * v));

fn equilibrium(density, u, v) {
    return balance(share(), density, along(u, v, X as f64, Y as f64), u, v);
}

// Density, and velocity along both directions.
fn fluid(f) {
    let density = moment(f, ones([9], dtype = f64));
    return (density, moment(f, X as f64) / density, moment(f, Y as f64) / density);
}

fn moved_on(f) {
    var moved = [];
    for q in 0..9 { moved = moved + [roll(roll(f[q, .., ..], X[q], dim = 0), Y[q], dim = 1)]; }
    return stack(moved, dim = 0) to @all : S(1);
}

main {
    let y[i, j] = ones([POINTS], dtype = f64)[i] * (iota(POINTS) as f64)[j];
    let wave = sin(WAVE * y);
    f = equilibrium(1.0 + 0.0 * y, 0.01 * wave, 0.0 * y) to @all : S(1);
    for t in 0..STEPS {
        let (density, u, v) = fluid(f);
        f = moved_on(f + (equilibrium(density, u, v) - f) / TAU);
    }
    let (density, u, v) = fluid(f);
    let left = (sum(u * wave) to B) / (sum(wave * wave) * 0.01);
    print("mass:", (sum(density) to B) / POINTS ** 2, " viscosity:", -ln(left) / (WAVE ** 2 * STEPS), " expected:", (TAU - 0.5) / 3.0);
}
