// The heat equation on a square whose edges are kept cold, explicit Euler on a mesh of ranks: a step reads the four neighbours of a point,
// so each rank fetches one row or column from each rank beside it, and nothing else moves.
//   pmlc heat.pml && mpiexec -n 4 ./heat                                        blocks of 2 x 2
//   pmlc heat.pml -D 'grid=ranks(0..3) as (x=3, y=1)' && mpiexec -n 3 ./heat    stripes of 21 or 22 rows
//   pmlc plan heat.pml                                                          the halos: 2.2 kB in all, in each of the steps
// Begins with sin(pi x) sin(pi y), of which every step leaves the same part, and prints how far it is from that at the end: about 1e-15.
const POINTS : int = 65;                            // points along an edge, the cold ones included
const STEPS : int = 1000;
const R : float = 0.2;                              // time step over the square of the distance of points; at most 0.25

place grid = ranks(0..4) as (x = 2, y = 2);

state u : f64[POINTS, POINTS] @ grid : (x=S(0), y=S(1)) = zeros();

// A point that would read beyond the square is 0: the edge.
op step(u[i, j], r: f64) -> [i, j] = u[i, j] + r * (u[(i - 1)?, j] + u[(i + 1)?, j] + u[i, (j - 1)?] + u[i, (j + 1)?] - 4.0 * u[i, j]);

fn start() {
    let s = sin((iota(POINTS) as f64) * (pi / (POINTS - 1.0)));
    let both[i, j] = s[i] * s[j];
    return both;
}

main {
    u = start() to @grid : (x=S(0), y=S(1));
    for t in 0..STEPS { u = step(u, r = R) to (x=S(0), y=S(1)); }
    let left = (1.0 - 8.0 * R * sin(pi / (2.0 * (POINTS - 1.0))) ** 2) ** STEPS;
    let apart = abs(u - left * start());
    print("left of the heat:", left, " error:", max(apart) to B);
}
