place p = ranks(0..4) as (a = 2, b = 3);  //~ PML0213@11
main { print(1); }
