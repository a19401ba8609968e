# habits.awk — awk -f habits.awk PAGE.md ...: the words of other systems in the first column of the pages' tables: what is called there, stands
# behind a point, or is all of a piece of code.
/^\| / {
	split($0, cells, " \\| ")
	n = split(cells[1], code, "`")
	for (i = 2; i <= n; i += 2) {
		text = code[i]
		if (text ~ /^[A-Za-z_][A-Za-z0-9_]*$/) { print text; continue }
		while (match(text, /\.?[A-Za-z_][A-Za-z0-9_]*/)) {
			word = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			if ((word ~ /^\./ || text ~ /^\(/) && text !~ /^\./ && length(word) > 3) { sub(/^\./, "", word); print word }
		}
	}
}
