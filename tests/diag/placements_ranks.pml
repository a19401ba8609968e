place a = ranks([0, 1, 1]);                   //~ PML0215@11
place b = ranks(3..3);                        //~ PML0215@11
place c = ranks([0, -1]);                     //~ PML0215
place d = ranks([3, 1, 2]);
place e = 3;                                  //~ PML0204@11
main { print("ok"); }
