# grammar.awk — parser.y without its C: what `pmlc --print=grammar` shows, so that the grammar is written once.
# Keeps the order of binding strength and the rules; drops actions, declarations of types and the code parts.
BEGIN { rules = 0; depth = 0 }
/^%%/ { rules++; next }
rules == 0 && /^%token .*"/ { next }
rules == 0 && /^%(left|right|nonassoc|precedence)/ { strength[++n] = $0; next }
rules != 1 { next }
{
	if (!started) {
		print "# The grammar of PML, in the notation of bison. Words in capitals are tokens: INT FLOAT STRING NAME, and"
		print "# keywords, which are written small in programs. `error` and %prec are for the parser.\n"
		print "# Binding strength of operators, weakest first:"
		for (i = 1; i <= n; i++)
			print "#   " strength[i]
		started = 1
	}
	out = ""
	length_ = length($0)
	for (i = 1; i <= length_; i++) {
		c = substr($0, i, 1)
		if (depth == 0 && c == "'" && substr($0, i + 2, 1) == "'") {
			out = out substr($0, i, 3)
			i += 2
			continue
		}
		if (depth > 0 && c == "\"") {
			for (i++; i <= length_ && substr($0, i, 1) != "\""; i++)
				if (substr($0, i, 1) == "\\")
					i++
			continue
		}
		if (c == "{")
			depth++
		else if (c == "}")
			depth--
		else if (depth == 0)
			out = out c
	}
	sub(/[ \t]+$/, "", out)
	if (out != "" || $0 == "")
		print out
}
