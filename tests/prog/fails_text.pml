// A string that doubles in every turn of the running program ends it, before memory does.
//% fails a string would have 134217728 bytes
config n : int = 60;
main {
    var s = "a";
    for i in 0..n { s = s + s; }
    print(length(s));
}
