// The derivative of an operator reads its operands, its result and the gradient: 59 operands leave no room.
op many(x[i]) -> [i] = x[i] * x[i + 1] * x[i + 2] * x[i + 3] * x[i + 4] * x[i + 5] * x[i + 6] * x[i + 7] * x[i + 8] * x[i + 9] * x[i + 10] * x[i + 11] * x[i + 12] * x[i + 13] * x[i + 14] * x[i + 15] * x[i + 16] * x[i + 17] * x[i + 18] * x[i + 19] * x[i + 20] * x[i + 21] * x[i + 22] * x[i + 23] * x[i + 24] * x[i + 25] * x[i + 26] * x[i + 27] * x[i + 28] * x[i + 29] * x[i + 30] * x[i + 31] * x[i + 32] * x[i + 33] * x[i + 34] * x[i + 35] * x[i + 36] * x[i + 37] * x[i + 38] * x[i + 39] * x[i + 40] * x[i + 41] * x[i + 42] * x[i + 43] * x[i + 44] * x[i + 45] * x[i + 46] * x[i + 47] * x[i + 48] * x[i + 49] * x[i + 50] * x[i + 51] * x[i + 52] * x[i + 53] * x[i + 54] * x[i + 55] * x[i + 56] * x[i + 57] * x[i + 58];
op few(x[i]) -> [i] = x[i] * x[i + 1] * x[i + 2] * x[i + 3] * x[i + 4] * x[i + 5] * x[i + 6] * x[i + 7] * x[i + 8] * x[i + 9] * x[i + 10] * x[i + 11] * x[i + 12] * x[i + 13] * x[i + 14] * x[i + 15] * x[i + 16] * x[i + 17] * x[i + 18] * x[i + 19] * x[i + 20] * x[i + 21] * x[i + 22] * x[i + 23] * x[i + 24] * x[i + 25] * x[i + 26] * x[i + 27] * x[i + 28] * x[i + 29] * x[i + 30] * x[i + 31] * x[i + 32] * x[i + 33] * x[i + 34] * x[i + 35] * x[i + 36] * x[i + 37] * x[i + 38] * x[i + 39] * x[i + 40] * x[i + 41] * x[i + 42] * x[i + 43] * x[i + 44] * x[i + 45] * x[i + 46] * x[i + 47] * x[i + 48] * x[i + 49] * x[i + 50] * x[i + 51] * x[i + 52] * x[i + 53] * x[i + 54] * x[i + 55] * x[i + 56] * x[i + 57];
fn loss(x: f32[80]) { return sum(many(x)); }   //~ PML0403@34
fn other(x: f32[80]) { return sum(few(x)); }
main {
    print(grad(loss)(ones([80])));
    print(grad(other)(ones([80])));
}
