import lib.broken;
main { broken.f(1); }
