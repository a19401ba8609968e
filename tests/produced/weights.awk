# What weights.pml saves, worked out independently.
function out(name, dtype, shape) { printf "%s %s [%s]", name, dtype, shape }
function grid(n, m, scale,   i, j) { for (i = 0; i < n; i++) for (j = 0; j < m; j++) printf " %.17g", (10 * i + j) / scale; print "" }
BEGIN {
	out("brain", "BF16", "4,3"); grid(4, 3, 1)
	out("columns", "F64", "3,8"); grid(3, 8, 8)
	out("half", "F16", "2"); print " 0 1"
	out("inner", "F32", "2,3,5")
	for (i = 0; i < 2; i++) for (j = 0; j < 3; j++) for (k = 0; k < 5; k++) printf " %d", 100 * i + 10 * j + k
	print ""
	out("one", "F32", "1,1"); print " 42"
	out("rows", "F32", "5,7"); grid(5, 7, 1)
	out("whole", "F32", "6"); print " -2.5 -1.5 -0.5 0.5 1.5 2.5"
}
