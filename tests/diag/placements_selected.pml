// Parts of a placement: positions, axes and how many there may be.
place grid = ranks(0..8) as (dp = 2, tp = 4);
place many = ranks(0..1) as (a = 1, b = 1, c = 1, d = 1, e = 1, f = 1);
place more = ranks(0..1) as (a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1);   //~ PML0213@72
place before = grid[dp = -1];                    //~ PML0213
place beyond = grid[tp = 2..5];                  //~ PML0213
place nothing = grid[tp = 2..2];                 //~ PML0213
place backwards = grid[tp = 3..1];               //~ PML0213
place longer = grid[0, 1, 0];                    //~ PML0213
place all = grid[..];                            //~ PML0213
place gone = grid[dp = 0][dp = 0];               //~ PML0213
place fine = grid[dp = 0][tp = 1..3];
place one = grid[1, 2];
main { print("ok"); }
