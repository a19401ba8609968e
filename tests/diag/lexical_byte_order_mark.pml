main { print("größe"); }
