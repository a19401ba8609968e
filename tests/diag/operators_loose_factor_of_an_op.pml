op rows(a[i, k]) -> [i] = a;                  
main { print(sum(rows(ones([3, 4])))); }      //~ PML0605@18
