// what a param would lend a draw, a placement does not have
place g = normal(0..4) as (a = 2, b = 2);    //~ PML0203@11
param w : f32[4] @ g = zeros();
main { print(w); }
