main {
    print(format(1.0, digits = 2, significant = 3));  //~ PML0203@11
    print(format("a", digits = 2));                   //~ PML0209@18
    print(format([1, 2]));                            //~ PML0209@18
    print(format(1, width = "a"));                    //~ PML0209@29
    print(format(1, decimals = 2));                   //~ PML0203@21
    log(step = 1, loss = 2.0);                        //~ PML0203@16
    print(1.0, digits = 2, significant = 3);          //~ PML0203@5
    print(1.0, digits = "a");                         //~ PML0209@25
    print(1.0, precision = 3);                        //~ PML0203@16
    print(format([1.0, 2.0], digits = 3));            //~ PML0209@18
}
