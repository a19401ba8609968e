# links.awk — awk -f links.awk PAGE.md ...: prints every link to a file that is not there or to a heading that the page does not have,
# and the number of links that are whole. Links to other sites are not followed. Run in the folder that the paths begin in.
function slug(s) {
	s = tolower(s)
	gsub(/\]\([^)]*\)/, "", s)
	gsub(/[^a-z0-9_ -]/, "", s)
	gsub(/ /, "-", s)
	return s
}
function folder(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/)) : "" }
function plain(path) {
	while (sub(/[^\/]+\/\.\.\//, "", path) || sub(/(^|\/)\.\//, "", path))
		;
	return path
}
function is_there(path,    line, found) {
	if (!(path in there)) {
		gsub(/'/, "", path)
		there[path] = system("test -e '" path "'") == 0
	}
	return there[path]
}
FNR == 1 { fenced = 0; pages[FILENAME] = 1 }
/^ *```/ { fenced = !fenced; next }
fenced || /^    / { next }
/^#+ / { line = $0; sub(/^#+ /, "", line); heading[FILENAME, slug(line)] = 1 }
{
	line = $0
	gsub(/`[^`]*`/, "", line)
	while (match(line, /\]\([^)]*\)/)) {
		target = substr(line, RSTART + 2, RLENGTH - 3)
		line = substr(line, RSTART + RLENGTH)
		if (target !~ /^[a-z]+:/) {
			links++
			from[links] = FILENAME
			at[links] = FNR
			to[links] = target
		}
	}
}
END {
	for (i = 1; i <= links; i++) {
		path = to[i]
		sub(/#.*/, "", path)
		name = index(to[i], "#") ? substr(to[i], index(to[i], "#") + 1) : ""
		path = path == "" ? from[i] : plain(folder(from[i]) path)
		if (!is_there(path))
			print "FAILED " from[i] ":" at[i] ": there is no file " path
		else if (name != "" && path in pages && !((path, name) in heading))
			print "FAILED " from[i] ":" at[i] ": " path " has no heading #" name
		else
			whole++
	}
	print whole + 0
}
