const K : int = 4;
struct Layer { w : f32[3, K] = zeros() }
param layers : [2] Layer;
param b : f32[3, 2, K] = zeros();
param c : f32 = 0.0;
state s : f32[3] = zeros();

names lines {
    layers = "w";                                   //~ PML0223
    layers[i] = "w";                                //~ PML0223
    layers[2].w = "w";                              //~ PML0210
    layers[i].v = "w";                              //~ PML0216
    layers[i].w[n] = "h.{i}"[n];                    //~ PML0223
    layers[i].w = "h.{j}";                          //~ PML0223
    layers[i].w = "h.{i";                           //~ PML0223
    layers[i].w = "[a.][b.]h.{i}";                  //~ PML0223
    layers[i].w = "";                               //~ PML0223
    layers[i].w = 3;                                //~ PML0223
    K = "k";                                        //~ PML0223
    b[n, h, k] = "b";                               //~ PML0223
    b[n, h, 0] = "b"[n, h];                         //~ PML0223
    b[n, h, k] = "b"[n, h];                         //~ PML0223
    b[n, h, k] = "b"[n * h, k];                     //~ PML0223
    b[n, h, k] = "b"[n, h / 2, k];                  //~ PML0223
    b[n, h, k] = "b"[n, n + h, k];                  //~ PML0223
    b[n, h, k] = "b"[n, h, k, 0..2];                //~ PML0223
    _ = "x.{i";                                     //~ PML0223
    _ = c;                                          //~ PML0223
}

main { load("x", names = b); }                      //~ PML0209
