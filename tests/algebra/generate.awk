# generate.awk — a table of cases as a program whose line numbers are the table's. What a case computes is kept in a variable
# of its own, r<line>, so that the laid-out graph has its layout. -v keep=accept or reject, -v skip="12 30": lines to leave out.
function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }

# `x: f32[6, 4] @ p : S(0)` as a draw that no pass can fold away; a type without a placement is on no rank.
function operand(text,    name, type, dims, rest, value, i, j) {
	i = index(text, ":")
	name = trim(substr(text, 1, i - 1))
	text = trim(substr(text, i + 1))
	i = index(text, "[")
	j = index(text, "]")
	type = trim(substr(text, 1, i - 1))
	dims = substr(text, i, j - i + 1)
	rest = trim(substr(text, j + 1))
	if (type == "key")
		return "let " name " = rng(" ++keys ");"
	value = "uniform(rng(" ++keys "), " dims ", low = 0.5, high = 3.0)"
	if (type == "bool")
		value = "(" value " < 1.0)"
	else if (type != "f32")
		value = "(" value " as " type ")"
	return "let " name " = " value (rest == "" ? "" : " to " rest) ";"
}

BEGIN {
	FS = " [|] "
	n = split(skip, list, " ")
	for (i = 1; i <= n; i++)
		left_out[list[i]] = 1
}
/^! / { print substr($0, 2); next }
NF < 3 { print ""; next }
{
	expected = trim($3)
	rejected = expected ~ /^PML/
	if (rejected != (keep == "reject") || NR in left_out) {
		print ""
		next
	}
	body = ""
	n = split($2, operands, ";")
	for (i = 1; i <= n; i++)
		if (trim(operands[i]) != "")
			body = body operand(operands[i]) " "
	expression = trim($1)
	if (expression ~ /^\{/)
		body = body substr(expression, 2, length(expression) - 2)
	else
		body = body "var r" NR " = " expression "; every 1 { r" NR " = r" NR "; }"
	print "fn case_" NR "() { " body " }"
	calls = calls " case_" NR "();"
}
END { print "main {" calls " }" }
