#!/bin/sh
# library.sh DIR — writes the pages of the standard library, one per module and an index, made from the declarations and `///` comments
# of stdlib/ and of lang/builtin.def. What has no such comment serves its own module and is not listed. Lines of a comment that begin with
# four more spaces are an example: statements of `main`, behind them, after `//`, what they print. Such lines in the comment at the head of
# a file are the items that its examples need.
#   tools/library.sh docs/library
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:?usage: library.sh DIR}
mkdir -p "$out" || exit 1

# What both kinds of pages share: text and examples of a comment, one line after the other.
comments='
	function fence(kind) {
		if (kind == fenced) return
		if (fenced != "") printf "```\n\n"
		if (kind != "") printf "\n```pml %s\n", kind
		fenced = kind
	}
	function write(line, kind) {
		if (line ~ /^    /) { fence(kind); print substr(line, 5) }
		else if (line != "" || fenced == "") { fence(""); print line }
		else print ""
	}
	function write_all(text, kind,    n, i, lines) {
		sub(/\n+$/, "", text)
		n = split(text, lines, "\n")
		for (i = 1; i <= n; i++) write(lines[i], kind)
		fence("")
	}'

page() { # FILE NAME
	awk -v name="$2" "$comments"'
		function flush() {
			if (doc == "")
				return
			printf "### %s\n\n```\n%s\n```\n\n", item, signature
			write_all(doc, "example")
			print ""
		}
		# A declaration ends where its body begins: an op or a const at its `;`, a function at its `{`; a struct is shown whole.
		function ended(line) { return kind == "struct" ? line ~ /^\}/ : kind != "fn" ? line ~ /;[ \t]*(\/\/.*)?$/ : line ~ /\{([ \t]|$)/ }
		function trimmed(line) {
			sub(/[ \t]*\/\/.*$/, "", line)
			if (kind == "fn") sub(/[ \t]*\{([ \t].*)?$/, "", line)
			return line
		}
		NR == 1 { sub(/^\/\/ [^ ]* — /, ""); printf "# %s: %s\n\n", name, $0; head = 1; next }
		head && /^\/\/$/ { write("", "items"); next }
		head && /^\/\/ / { write(substr($0, 4), "items"); next }
		head { head = 0; fence(""); print "" }
		open { signature = signature "\n" trimmed($0); if (ended($0)) { open = 0; flush(); doc = "" } next }
		/^\/\/\/ ?/ { line = $0; sub(/^\/\/\/ ?/, "", line); doc = doc line "\n"; next }
		/^\/\/ ---- / { gsub(/^\/\/ -+ | ?-*$/, ""); printf "## %s\n\n", toupper(substr($0, 1, 1)) substr($0, 2); doc = ""; next }
		/^(fn|op|const|struct) / {
			kind = $1; item = $2; sub(/[^A-Za-z0-9_].*/, "", item)
			signature = trimmed($0)
			if (ended($0)) { flush(); doc = "" } else open = 1
			next
		}
		{ doc = "" }' "$1" | cat -s
}

# Functions that are built in, by section of lang/builtin.def.
builtins() {
	awk "$comments"'
		function text(s) { gsub(/\\"/, "\"", s); gsub(/\\\\/, "\\", s); return s }
		BEGIN { print "# Built in: functions that are not written in PML, and that every program has." }
		/^ \*\/?/ && !rows { sub(/^ \* ?/, ""); if (/^    / || items) items = items $0 "\n" }
		/^\*\/|\*\/$/ && !rows { rows = 1; sub(/\*?\/?\n$/, "", items); print "\nThe examples stand in `main` of a program that begins with"; write_all(items, "items") }
		/^\/\/\/ / { example = example substr($0, 5) "\n"; next }
		/^\/\* ---- / { gsub(/^\/\* -+ | -+ \*\/$/, ""); section = toupper(substr($0, 1, 1)) substr($0, 2); next }
		/^BUILTIN\(/ {
			name = $0; sub(/^BUILTIN\(/, "", name); sub(/,.*/, "", name)
			rest = $0; sub(/^[^"]*"/, "", rest); sub(/"\)$/, "", rest)
			at = index(rest, "\", \"")
			if (at < 2) next
			if (section != "") printf "\n## %s\n", section
			section = ""
			doc = text(substr(rest, at + 4))
			printf "\n### %s\n\n```\n%s\n```\n\n%s%s.\n", name, text(substr(rest, 1, at - 1)), toupper(substr(doc, 1, 1)), substr(doc, 2)
			write_all(example, "example")
			example = ""
		}' "$root/lang/builtin.def" | cat -s
}

{
	echo "# The standard library"
	echo
	echo "Written by \`tools/library.sh\` from the sources in \`stdlib/\`; \`import std.nn;\` makes the functions of a module known as \`nn.linear\` and so on."
	echo
	echo "| module | what it holds |"
	echo "|---|---|"
} >"$out/README.md"
builtins >"$out/builtins.md"
echo "| [builtins](builtins.md) | functions that are not written in PML, and that every program has |" >>"$out/README.md"
for file in "$root"/stdlib/prelude/*.pml "$root"/stdlib/*.pml; do
	grep -q "^///" "$file" || continue # nothing that programs name
	base=$(basename "$file" .pml) name=std.$base
	case $file in */prelude/*) name="prelude, $base" base=prelude_$base ;; esac
	page "$file" "$name" | sed '$ { /^$/d; }' >"$out/$base.md"
	echo "| [$name]($base.md) | $(sed -n '1s/^[^—]*— \(.*\)$/\1/p' "$file") |" >>"$out/README.md"
done
