# compare.awk — reads a line per case: the compiler's exit status, the file of what it said, the case, with tabs between. Prints the cases whose
# errors are not those of their comments (see run), what is missing and surplus, and what was said; then the counts.

# What a file's comments want, as "file:line:column code"; the column is `*` where none is given, and "? code" is for anywhere.
function read_wanted(file,   line, at, rest, up, anywhere, n, word, k, part) {
	for (at = 0; (getline line <file) > 0;) {
		at++
		if (!(k = index(line, "//~")))
			continue
		rest = substr(line, k + 3)
		for (up = 0; substr(rest, 1, 1) == "^"; up++)
			rest = substr(rest, 2)
		anywhere = substr(rest, 1, 1) == "?"
		gsub(/[?,]/, " ", rest)
		n = split(rest, word, " ")
		for (k = 1; k <= n && word[k] ~ /^PML[0-9]+(@[0-9]+)?$/; k++) {
			part[2] = ""
			split(word[k], part, "@")
			want[++wanted] = anywhere ? "? " part[1] : file ":" at - up ":" (part[2] ? part[2] : "*") " " part[1]
		}
	}
	close(file)
}

# "file:line:column code" of a line of the compiler's that is a message, "? code" of one without a place in a .pml file.
function seen_in(line) {
	if (match(line, /^[^:]*\.pml:[0-9]+:[0-9]+: [a-z]*\[PML[0-9]+\]/)) {
		line = substr(line, 1, RLENGTH - 1)
		match(line, /: [a-z]*\[PML[0-9]+$/)
		return substr(line, 1, RSTART - 1) " " substr(line, index(line, "[PML") + 1)
	}
	return match(line, /\[PML[0-9]+\]: /) ? "? " substr(line, RSTART + 1, RLENGTH - 4) : ""
}

# Matches one that was seen against the wanted, each once.
function is_wanted(seen,   any, i) {
	any = seen
	sub(/:[0-9]+ /, ":* ", any)
	for (i = 1; i <= wanted; i++)
		if (want[i] == seen || want[i] == any) {
			want[i] = ""
			return 1
		}
	return 0
}

BEGIN { FS = "\t" }
{
	said = wrong = ""
	wanted = found = 0
	split("", read)
	read_wanted($3)
	read[$3] = 1
	while ((getline line <$2) > 0) {
		said = said "  | " line "\n"
		if ((at = seen_in(line)) == "")
			continue
		seen[++found] = at
		file = at ~ /^\?/ ? $3 : substr(at, 1, index(at, ":") - 1)
		if (!(file in read))
			read_wanted(file)
		read[file] = 1
	}
	close($2)
	expected = wanted > 0
	for (i = 1; i <= found; i++)
		if (!is_wanted(seen[i]))
			wrong = wrong "  surplus: " seen[i] "\n"
	for (i = 1; i <= wanted; i++)
		if (want[i] != "")
			wrong = wrong "  missing: " want[i] "\n"
	if ($1 != expected)
		wrong = wrong "  exit status " $1 " instead of " expected "\n"
	if (wrong == "")
		passed++
	else {
		failed++
		printf "%s\n%s%s", $3, wrong, said
	}
}
END {
	print passed + 0 " passed, " failed + 0 " failed"
	exit failed > 0
}
