// Where an index goes can be counted, beyond the tensor as well.
state u : f32[9, 2] = ones();
op far(u[i, j]) -> [i, j] = u[i - 9223372036854775807, j];
op wide(u[i, j]) -> [i, j] = u[9223372036854775807 * i, j];
op high(u[i, j]) -> [i, j] = u[i + 4611686018427387904, j];
op near(u[i, j]) -> [i, j] = u[(i + 3000000000)?, j] + u[(4000000000 * i)?, j];
main {
    print(far(u));         //~ PML0207
    print(wide(u));        //~ PML0207
    print(high(u));        //~ PML0207
    print(near(u));
}
