// An index of a list of params that only the running program knows names the list.
//% ranks 1 2 (3 4)
//% fails [--k=3] fails_lists.pml:14:18: error: index 3 is out of range, `ws` has 3 elements
//% fails [--k=-4] fails_lists.pml:14:18: error: index -4 is out of range, `ws` has 3 elements
//% fails [--k=-1 --j=5] fails_lists.pml:15:22: error: index 5 is out of range, `layers` has 2 elements
const N : int = 1;
place p = ranks(0..N);
config k : int = 0;
config j : int = 0;
struct Layer { w : f32[4] @ p = ones(), b : f32 @ p = zeros() }
param ws : [3] f32[2, 4] @ p : S(1) = ones();
param layers : [2] Layer;
main {
    print(sum(ws[k]) to B);
    print(sum(layers[j].w));
}
