import std.nn;

place all = ranks(0..2);
param tokens : f32[2, 4, 512, 8] @ all = normal(std = 0.2);

main {
    let q = tokens to S(2);
    let y = nn.attention(q, tokens, tokens);              //~ PML0304@13
    print(sum(y) to B);
}
