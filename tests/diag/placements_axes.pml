place grid = ranks(0..8) as (dp = 2, tp = 4);
place bad = ranks(0..8) as (dp = 2, tp = 3);      //~ PML0213@13
param w : f32[8, 8] @ grid : (dp=S(0)) = zeros();
main {
    let x = zeros([8]) to @grid : (dp=S(0));
    let y = zeros([8]) to @grid : S(0);       //~ PML0213
    let z = zeros([8]) to @grid : (pp=S(0));  //~ PML0213
    let v = zeros([8]) to @grid[pp = 0] : B;  //~ PML0213
    let u = zeros([8]) to @grid[dp = 2] : B;  //~ PML0213
    print(sum(x));
}
