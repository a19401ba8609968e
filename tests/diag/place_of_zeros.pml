// what a param would lend its initial value, a placement does not have
place g = zeros() as (a = 2, b = 2);    //~ PML0203@11
param w : f32[4] @ g = zeros();
main { print(w); }
