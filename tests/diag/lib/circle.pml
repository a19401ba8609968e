import circle2;
