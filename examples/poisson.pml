// The equation of Poisson on a square, -(u'' along x) - (u'' along y) = b, by conjugate gradients: f64, blocks of points on a mesh of ranks. A turn exchanges
// the edges of the blocks, once per side, and adds up two numbers over all ranks; how many turns there are, the residual decides.
//   pmlc poisson.pml && mpiexec -n 4 ./poisson
//   pmlc poisson.pml -D 'grid=ranks(0..3) as (x=3, y=1)' && mpiexec -n 3 ./poisson
// b is such that x (1 - x) y (1 - y) solves it, on the points exactly: prints how far the result is from that.
const POINTS : int = 63;                            // along an edge, without those on it, where u is 0
const H : float = 1.0 / (POINTS + 1);

place grid = ranks(0..4) as (x = 2, y = 2);

// 4 u less the four beside it, which are 0 beyond the square.
fn stencil(u) {
    let v = pad(pad(u, before = 1, after = 1, dim = 0), before = 1, after = 1, dim = 1);
    let beside = v[0..POINTS, 1..POINTS + 1] + v[2..POINTS + 2, 1..POINTS + 1] + v[1..POINTS + 1, 0..POINTS] + v[1..POINTS + 1, 2..POINTS + 2];
    return 4.0 * u - beside to (x=S(0), y=S(1));
}

main {
    let t = H * (1.0 + (iota(POINTS) as f64));
    let bump = t * (1.0 - t);
    let solution[i, j] = bump[i] * bump[j];
    let b[i, j] = 2.0 * H * H * (bump[i] + bump[j]);

    var u = zeros([POINTS, POINTS], dtype = f64) to @grid : (x=S(0), y=S(1));
    var residual = b to @grid : (x=S(0), y=S(1));
    var way = residual;
    var size = sum(residual * residual) to B;
    let enough = 1e-24 * size;
    var turns = 0;
    while size > enough {
        let image = stencil(way);
        let far = size / (sum(way * image) to B);
        u = u + far * way;
        residual = residual - far * image;
        let next = sum(residual * residual) to B;
        way = residual + (next / size) * way;
        size = next;
        turns += 1;
    }
    let apart = abs(u - solution);
    print("turns:", turns, " error:", max(apart) to B);
}
