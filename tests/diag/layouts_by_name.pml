place grid = ranks(0..4) as (dp = 2, tp = 2);
const ROWS : layout = S(0);
const FIVE : layout = 5;          //~ PML0209
const FAR : layout = S(5);
const BAD : layout = S(ROWS);     //~ PML0204
const ODD : layout = P(mean);     //~ PML0213
const NONE : layout = B(1);       //~ PML0208
const PARTS : layout = P;
const N : int = 3;
const MESH : layout = (dp=S(0), tp=S(3));
const LINE : layout = (x=ROWS);
const MIXED : layout = (dp=P(max), tp=P);
const WITHIN : layout = (dp=MESH);                   //~ PML0213
const NUMBER : layout = (dp=N);                      //~ PML0213
param w : f32[4, 4] @ grid : (dp=PARTS) = zeros();   //~ PML0213
main {
    let x = zeros([4, 4]) to @grid : (dp=FAR);       //~ PML0210
    let y = zeros([4, 4]) to @grid : ROWS;           //~ PML0213
    let z = zeros([4, 4]) to @grid : (dp=N);         //~ PML0213
    let a = zeros([4, 4]) to @grid : MESH;           //~ PML0210
    let b = zeros([4, 4]) to @grid : LINE;           //~ PML0213
    let c = zeros([4, 4]) to @grid : MIXED;          //~ PML0213
    let d = zeros([4, 4]) to @grid : (dp=MESH);      //~ PML0213
    let f = if (N = 3) => 1 else 2;                  //~ PML0213
    print(sum(a), sum(b), sum(c), sum(d), f, WITHIN, NUMBER);
    print(sum(x), sum(y), sum(z), FIVE, BAD, ODD, NONE);
}
