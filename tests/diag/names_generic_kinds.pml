fn f[n: size](x: f32[n]) { }      //~ PML0115@9
fn g[.., t: number, l: layout, p: place](x: t[..] @ p : l) { }
fn h[.., ..](x: f32[..]) { }      //~ PML0102@10
