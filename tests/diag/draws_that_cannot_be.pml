import std.nn;

param w : f32[2] = normal(std = -0.1); //~ PML0203

main {
    let (k, s) = (rng(1), [2]);
    print(bernoulli(k, s, p = 2.0));                         //~ PML0203
    print(bernoulli(k, s, p = -0.1));                        //~ PML0203
    print(nn.dropout(ones(s), k, p = 1.5));                  //~ PML0203
    print(normal(k, s, std = -1.0));                         //~ PML0203
    print(uniform(k, s, low = 2.0, high = 1.0));             //~ PML0203
    print(truncated_normal(k, s, low = 2.0, high = 1.0));    //~ PML0203
    print(truncated_normal(k, s, std = -1.0));               //~ PML0203
    print(exponential(k, s, rate = -1.0));                   //~ PML0203
    print(laplace(k, s, scale = -1.0));                      //~ PML0203
    print(gamma(k, s, -1.0));                                //~ PML0203
    print(beta(k, s, 2.0, -1.0));                            //~ PML0203
    print(poisson(k, s, -3.0));                              //~ PML0203
    print(randint(k, s, 0, 4294967296));                     //~ PML0203
    print(histogram([1.0] as f32, 0, 0.0, 1.0));             //~ PML0203
    print(histogram([1.0] as f32, 2, 1.0, 1.0));             //~ PML0203
    print(bernoulli(k, s, p = 1.0), bernoulli(k, s, p = 0.0), normal(k, s, std = 0.0), uniform(k, s, low = 1.0, high = 1.0));
}
