struct Block[p: place] { w : f32[3] @ p }
place g = ranks(0..1);
param a : Blok[g];                //~ PML0111@11
param b : float32[3];             //~ PML0111@11
fn f(x: Block, y: [3] Block[g], z: Missing[3]) { }   //~ PML0111@36
fn h[t: float, n](x: t[n], y: t, s: string, k: rngkey, b: bool) { }
fn i(x: Block[..]) { }            //~ PML0111@15
const N : whole = 3;              //~ PML0111@11
