op double(a[..]) -> [..]; //~ PML0001@25
