fn size(shape: shape : int) { return shape; } //~ PML0219@24
main { print(size([1])); }
