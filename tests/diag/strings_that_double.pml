fn doubled() {
    var s = "a";
    for i in 0..60 { s = s + s; } //~ PML0207
    return s;
}
main { print(length(doubled())); }
