#!/bin/sh
# library.sh DIR — writes the pages of the standard library, one per module and an index, made from the declarations and `///` comments
# of stdlib/. What has no such comment serves its own module and is not listed.
#   tools/library.sh docs/library
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:?usage: library.sh DIR}
mkdir -p "$out" || exit 1

page() { # FILE NAME
	awk -v name="$2" '
		function flush() {
			if (doc == "")
				return
			printf "### %s\n\n```\n%s\n```\n\n%s\n", item, signature, doc
		}
		# A declaration ends where its body begins: an op at its `;`, a function at its `{`.
		function ended(line) { return kind == "op" ? line ~ /;[ \t]*(\/\/.*)?$/ : line ~ /\{([ \t]|$)/ }
		function trimmed(line) {
			sub(/[ \t]*\/\/.*$/, "", line)
			if (kind != "op") sub(/[ \t]*\{([ \t].*)?$/, "", line)
			return line
		}
		NR == 1 { sub(/^\/\/ [^ ]* — /, ""); printf "# %s: %s\n\n", name, $0; head = 1; next }
		head && /^\/\/$/ { print ""; next }
		head && /^\/\/ / { print substr($0, 4); next }
		head { head = 0; print "" }
		open { signature = signature "\n" trimmed($0); if (ended($0)) { open = 0; flush(); doc = "" } next }
		/^\/\/\/ ?/ { line = $0; sub(/^\/\/\/ ?/, "", line); doc = doc line "\n"; next }
		/^\/\/ ---- / { gsub(/^\/\/ -+ | ?-*$/, ""); printf "## %s\n\n", toupper(substr($0, 1, 1)) substr($0, 2); doc = ""; next }
		/^(fn|op) / {
			kind = $1; item = $2; sub(/[^A-Za-z0-9_].*/, "", item)
			signature = trimmed($0)
			if (ended($0)) { flush(); doc = "" } else open = 1
			next
		}
		{ doc = "" }' "$1" | cat -s
}

# Functions that are built in, by section of lang/builtin.def.
builtins() {
	awk '
		function text(s) { gsub(/\\"/, "\"", s); gsub(/\\\\/, "\\", s); return s }
		BEGIN { print "# Built in: functions that are not written in PML, and that every program has." }
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
		}' "$root/lang/builtin.def"
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
for file in "$root"/stdlib/*.pml; do
	base=$(basename "$file" .pml)
	[ "$base" = prelude ] && name=prelude || name=std.$base
	page "$file" "$name" | sed '$ { /^$/d; }' >"$out/$base.md"
	echo "| [$name]($base.md) | $(sed -n '1s/^[^—]*— \(.*\)$/\1/p' "$file") |" >>"$out/README.md"
done
