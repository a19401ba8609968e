import std.nn;

main {
    let x = ones([2, 3]);
    print(nn.layernorm(x));     //~ PML0110@14
    print(nn.relu(x));          //~ PML0110@14
    print(nn.shape(x));         //~ PML0110@14
}
