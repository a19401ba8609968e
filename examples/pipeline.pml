// A deep network of equal layers as a pipeline: each rank holds a stage, micro-batches go through one after the other.
//   pmlc pipeline.pml && mpiexec -n 2 ./pipeline                                      two stages
//   pmlc pipeline.pml -D 'grid=ranks(0..4) as (pp=4, dp=1, tp=1)' -D M=16 && mpiexec -n 4 ./pipeline   four stages, 16 micro-batches
//   pmlc pipeline.pml -D 'ORDER="zb"' && mpiexec -n 2 ./pipeline                      gradients of weights fill the waits
//   pmlc pipeline.pml -D 'grid=ranks(0..8) as (pp=2, dp=2, tp=2)' && mpiexec -n 8 ./pipeline           data and tensor parallel stages
//   pmlc plan pipeline.pml                                                            the schedule, memory, bytes
// Prints the loss every 10 of 50 steps, from 0.63 to 0.02, the same in all of these; a second or two on two cores. --profile tells how
// long ranks waited.
import std.optim;

const M  : int = 8;                                 // micro-batches
const L  : int = 8;                                 // layers
const D  : int = 128;                               // width
const ORDER : string = "1f1b";                      // or "gpipe", "zb"
const HOLD  : int = 0;                              // "zb": micro-batches that a stage may hold; 0: as many as it has stages

config steps : int = 50;                            /// training steps
config lr    : f32 = 0.5;                           /// rate of the optimizer

place grid = ranks(0..2) as (pp = 2, dp = 1, tp = 1);

struct Layer[p: place] {
    up   : f32[D, 2 * D] @ p : (tp=S(1)) = normal(std = 0.04),
    down : f32[2 * D, D] @ p : (tp=S(0)) = normal(std = 0.04)
}

param layers : [i in 0..L] Layer[grid[pp = floor_div(i * grid.pp, L)]];      // PP stages of consecutive layers

fn layer[n, p: place](x: f32[n, D] @ p : (dp=S(0)), w: Layer[p]) -> f32[n, D] @ p : (dp=S(0)) {
    return x + (tanh(x @ w.up) @ w.down to (dp=S(0)));
}

fn model[n](x: f32[n, D] @ grid[pp = 0] : (dp=S(0)), t: f32[n, D] @ grid[pp = grid.pp - 1] : (dp=S(0))) -> f32 @ grid[pp = grid.pp - 1] : B {
    var h = x;
    for i in 0..L { h = layer(h to @grid[pp = floor_div(i * grid.pp, L)], layers[i]); }      // moves where the next stage begins
    return mean((h - t) ** 2) to B;
}

main {
    for step in 0..steps {
        let x = normal(rng(step), [256, D]);
        let t = x * 0.5 + tanh(x) * 0.5;
        let (l, g) = microbatch(M, schedule = ORDER, hold = HOLD) {
            value_and_grad(model)(x to @grid[pp = 0] : (dp=S(0)), t to @grid[pp = grid.pp - 1] : (dp=S(0)))
        };
        optim.sgd(g, lr = lr, momentum = 0.9);
        every 10 { print("step", step, "loss", l); }
    }
}
