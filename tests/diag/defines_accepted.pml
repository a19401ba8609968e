// pmlc: -D N=4 -D 'grid=ranks(0..8) as (dp = 2, tp = 4)' -D helper.K=5
import lib.helper;
const N : int = 3;
place grid = ranks(0..1);
main { print(N, helper.K); }
