op f(i[n]: int, u[n], r: int) -> [i < r] = u;  //~ PML0604@44
main { print(f(zeros([3], dtype = i32), zeros([3]), r = 2)); }
