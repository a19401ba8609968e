// Eigenvectors, and factors l u, are those of whole, finished matrices; a call of the library is told of once.
import std.linalg;
place p = ranks(0..2);
param a : f64[4, 4] @ p : S(0) = normal();
param x : f64[4, 6] @ p : S(1) = normal();

main {
    print(symmetric_eigen(a));                  //~ PML0304
    print(symmetric_eigen(x @ transpose(x)));   //~ PML0304
    print(pivoted_lu(a));                       //~ PML0304
    let (w, v) = linalg.eigh(a);                //~ PML0304
    print(w, v);
}
