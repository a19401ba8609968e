//% fails fails_byte.pml:6:15: error: byte 3 of a text of 3
config word : string = "abc";
main {
    var i = 0;
    while i < 9 {
        print(word[i]);
        i += 1;
    }
}
