// Draws have the shape that is asked for: what they depend on may be repeated in it, and is not larger.
place one = ranks(0..1);
state x : f32[2, 4] @ one = 0.5;
main {
    print(uniform(rng(1), [4], low = x));               //~ PML0201@11
    print(normal(rng(1), [4], std = x));                //~ PML0201@11
    print(normal(rng(1), [4], mean = x));               //~ PML0201@11
    print(bernoulli(rng(1), [4], p = x));               //~ PML0201@11
    print(exponential(rng(1), [1, 4], rate = x));       //~ PML0201@11
    print(laplace(rng(1), [4], scale = x));             //~ PML0201@11
    print(truncated_normal(rng(1), [4], std = x));      //~ PML0201@11
    print(gamma(rng(1), [4], x));                       //~ PML0201
    print(poisson(rng(1), [4], x));                     //~ PML0201
}
