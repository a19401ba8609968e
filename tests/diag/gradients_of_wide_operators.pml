// The derivative of an operator reads its operands, its result and the gradient: eleven operands leave no room.
op many(a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i], k[i], l[i], m[i]) -> [i] = a * b * c * d * e * f * g * h * k * l * m;
op few(a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i], k[i]) -> [i] = a * b * c * d * e * f * g * h * k;
fn loss(x: f32[8]) { return sum(many(x, x + 1.0, x + 2.0, x + 3.0, x + 4.0, x + 5.0, x + 6.0, x + 7.0, x + 8.0, x + 9.0, x + 10.0)); }   //~ PML0403@33
fn other(x: f32[8]) { return sum(few(x, x + 1.0, x + 2.0, x + 3.0, x + 4.0, x + 5.0, x + 6.0, x + 7.0, x + 8.0)); }
main {
    print(grad(loss)(ones([8])));
    print(grad(other)(ones([8])));
}
