// Where a size has the name of a factor, the factor is meant.
op halves(x[n], k: int) -> [k] = x[floor_div(k, 2)];             //~ PML0601@36
op later(x[n], k: int) -> [k] = x[if k > 1 => 1 else k];         //~ PML0601@35
op middle(x[n], k: int) -> [k] = x[k - floor_div(extent(k), 2)];

main { print(halves(ones([3]), k = 6), later(ones([3]), k = 3), middle(ones([3]), k = 2)); }
