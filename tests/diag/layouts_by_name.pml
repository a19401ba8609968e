place grid = ranks(0..4) as (dp = 2, tp = 2);
const ROWS : layout = S(0);
const FIVE : layout = 5;          //~ PML0209
const FAR : layout = S(5);
const BAD : layout = S(ROWS);     //~ PML0204
const ODD : layout = P(mean);     //~ PML0213
const NONE : layout = B(1);       //~ PML0208
const PARTS : layout = P;
const N : int = 3;
param w : f32[4, 4] @ grid : (dp=PARTS) = zeros();   //~ PML0213
main {
    let x = zeros([4, 4]) to @grid : (dp=FAR);       //~ PML0210
    let y = zeros([4, 4]) to @grid : ROWS;           //~ PML0213
    let z = zeros([4, 4]) to @grid : (dp=N);         //~ PML0213
    print(sum(x), sum(y), sum(z), FIVE, BAD, ODD, NONE);
}
