place grid = ranks(0..6) as (dp = 2, tp = 2);    //~ PML0213
main { print("x"); }
