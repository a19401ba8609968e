import lib.malformed;
main { x; }
