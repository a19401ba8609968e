main { assert_close(zeros([3]), zeros([4])); }  //~ PML0201@8
