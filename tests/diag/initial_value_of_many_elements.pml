// pmlc: -D N=3
// What is wrong with the one initial value of elements that do not make a list is told once.
const N : int = 2;
place pipe = ranks(0..N) as (pp = N);
struct Layer[on: place] { w : f32[4, 4] @ on = ones([4, 5]), b : f32[4] @ on = zeros() }       //~ PML0201
param layers : [i in 0..6] f32[4, 4] @ pipe[pp = i % N] = ones([4, 4], dtype = f64);            //~ PML0201
param blocks : [i in 0..6] Layer[pipe[pp = i % N]];

main { print(sum(layers[1]) to @pipe[pp = 0], sum(blocks[2].b)); }
