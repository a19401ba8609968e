// Words that are no type and no layout here.
import std.nn;
place p = ranks(0..2);
param layer : nn.Linear; //~ PML0111@18
param w : f32[4] @ p : Replicate = ones(); //~ PML0014@24
main { print(sum(w) to B); }
