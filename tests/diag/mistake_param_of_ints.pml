param count : i64[3] = zeros();    //~ PML0202
main { print(sum(count)); }
