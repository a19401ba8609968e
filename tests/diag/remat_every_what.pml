// What `remat every` stands before is a loop.
main {
	remat every 3 if true { print(1); }         //~ PML0001@16
	remat every 3 { print(1); }                 //~ PML0001@16
	remat every for i in 0..2 { print(i); }     //~ PML0001@14
	let remat = 1;
	print(remat);
}
