# agree.sh — read in by suites: whether two outputs are the same.
# Equal but for numbers within a relative tolerance (absolute below 1).
agree() { # A B RTOL
	awk -v other="$2" -v rtol="$3" '
		function number(s) { return s ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ }
		{ if ((getline line < other) <= 0) { print "line " NR " is missing"; exit 1 }
		  n = split($0, a, /[ ,=:()\[\]]+/); m = split(line, b, /[ ,=:()\[\]]+/)
		  if (n != m) { print NR ": " $0 " | " line; exit 1 }
		  for (i = 1; i <= n; i++) {
			if (a[i] == b[i]) continue
			if (!number(a[i]) || !number(b[i])) { print NR ": " $0 " | " line; exit 1 }
			d = a[i] - b[i]; if (d < 0) d = -d
			s = a[i] < 0 ? -a[i] : a[i]; if (s < 1) s = 1
			if (d > rtol * s) { print NR ": " $0 " | " line; exit 1 } } }
		END { if ((getline line < other) > 0) { print "more lines"; exit 1 } }' "$1"
}
