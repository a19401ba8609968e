main {
    let x = iota(4);
    print(x.astype(f32));      //~ PML0216@13
    print(f32(x));             //~ PML0208@11
    print(sum(x, axis = 0));   //~ PML0203@18
    print(normal([4]));        //~ PML0203@11
}
