//% fails fails_char.pml:4:11: error: a byte is 0 to 255, this is 256
config byte : int = 256;
main {
    print(char(byte));
}
