fn main() { print("hello"); } //~ PML0102@4
