main { assert_equal(zeros([3]), iota(3)); }  //~ PML0202@33
