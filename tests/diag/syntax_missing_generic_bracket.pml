fn f[n(x: f32[n]) { } //~ PML0001@7
main { }
