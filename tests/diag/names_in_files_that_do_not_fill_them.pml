const K : int = 4;
param a : f32[3, K] = zeros();
param b : f32[3, K] = zeros();
param c : f64[3, K] = zeros();
param d : f32[2, 2, K] = zeros();

names overlap { a = "w"; b = "w"; c = none; d = none; }                                      //~ PML0224
names types { a[n, k] = "w"[n, k]; c[n, k] = "w"[3 + n, k]; b = none; d = none; }            //~ PML0224
names gap { a[n, k] = "w"[n, k]; b[n, k] = "w"[4 + n, k]; c = none; d = none; }              //~ PML0224
names ranks { a[n, k] = "w"[n, k]; b[n, k] = "w"[n, k, 0]; c = none; d = none; }             //~ PML0224
names digits { d[g, h, k] = "w"[4 * g + 3 * h + k]; a = none; b = none; c = none; }          //~ PML0224
names negative { d[g, h, k] = "w"[g, h, k - 1]; a = none; b = none; c = none; }              //~ PML0224
names huge { d[g, h, k] = "w"[9223372036854775807 * g, h, k]; a = none; b = none; c = none; } //~ PML0224
names twice { a = "a"; a = "b"; b = none; c = none; d = none; }                              //~ PML0225
names missing { a = "a"; b = none; d = none; }                                               //~ PML0225
names plain { a = "[x.]a"; b = "a"; c = none; d = none; }                                    //~ PML0224

// Rows in turn, and parts behind each other, do fill one.
names good { a[n, k] = "w"[2 * n, k]; b[n, k] = "w"[2 * n + 1, k]; c = none; d[g, h, k] = "v"[k, 2 * h + g]; }
