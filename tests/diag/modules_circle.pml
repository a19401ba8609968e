import lib.circle;
main { }
