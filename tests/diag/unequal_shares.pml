// Shares are ints of at least 0, one for each rank of the axis, and some rank has to have one.
place p = ranks(0..2);
place g = ranks(0..6) as (dp = 2, tp = 3);
param negative : f32[4] @p : S(0, shares = [2, -1]) = zeros();      //~ PML0213@44
param nothing : f32[4] @p : S(0, shares = [0, 0]) = zeros();        //~ PML0213@43
param many : f32[4] @p : S(0, shares = [1, 2, 3]) = zeros();        //~ PML0213@40
param none : f32[4] @p : S(0, shares = []) = zeros();               //~ PML0213@40
param axis : f32[4] @g : (tp=S(0, shares = [1, 2])) = zeros();      //~ PML0213@44
param large : f32[4] @p : S(0, shares = [2147483647, 2]) = zeros(); //~ PML0213@41
param huge : f32[4] @p : S(0, shares = [2147483648, 2]) = zeros();  //~ PML0213@40
param one : f32[4] @p : S(0, shares = 2) = zeros();                 //~ PML0204@39
param half : f32[4] @p : S(0, shares = [0.5, 1]) = zeros();         //~ PML0204@40
const rows : layout = S(0, shares = [1, 2]);
param named : f32[6] @g : (tp=rows) = zeros();                      //~ PML0213@28
main { print(1); }
