#!/bin/sh
# linker.sh CC "OPTION..." "LIBRARY..." — what the compiler driver CC tells the linker to make an executable, for those who call the linker
# themselves: the driver takes some milliseconds of its own, and names folders, which the linker reads whole and several times. Three lines:
#   the linker and its words before the objects      the libraries, as files      its words at the end
# Nothing, if that is not found, or does not link.
cc=$1 options=$2 libraries=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
echo 'int main(void) { return 0; }' >begin.c
: >end.c
# shellcheck disable=SC2086
{
	"$cc" -fPIC -c begin.c && "$cc" -fPIC -c end.c && "$cc" $options -pie begin.o $libraries end.o -o out || exit
	"$cc" -print-file-name=libgcc_s.so.1 >shared
	LC_ALL=C "$cc" $options -pie '-###' begin.o $libraries end.o -o out 2>&1 | grep '^ .*begin\.o' | tail -n 1 | tr -d '"' >told
} 2>/dev/null

# -lNAME as the file that the linker would find in the folders that were named. libgcc_s.so names others in turn.
awk -v options=" $options " -v shared="$(cat shared)" '
	function readable(file) { return system("test -r \"" file "\"") == 0 }
	function library(name, i, file) {
		if (name == "gcc_s")
			return readable(shared) ? shared : ""
		for (i = 1; i <= folders; i++)
			if (readable(file = folder[i] "/lib" name ".so") || readable(file = folder[i] "/lib" name ".a"))
				return file
		return ""
	}
	function say(word) { line[part] = line[part] (line[part] == "" ? "" : " ") word }
	{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^-L./)
				folder[++folders] = substr($i, 3)
		part = 1
		say($1 ~ /collect2$/ ? (match(options, /-fuse-ld=[a-z]+/) ? "ld." substr(options, RSTART + 9, RLENGTH - 9) : "ld") : $1)
		for (i = 2; i <= NF; i++)
			if ($i == "begin.o") part = 2
			else if ($i == "end.o") part = 3
			else if ($i == "-plugin" || $i == "-o") i++
			else if ($i !~ /^(-plugin-opt=.*|-fuse-ld=.*|-L.*)$/) {
				word = $i ~ /^-l./ ? library(substr($i, 3)) : $i
				if (word == "") exit 1
				say(word)
			}
		if (part != 3) exit 1
		for (part = 1; part <= 3; part++) print line[part]
	}' told >lines || exit 1
{ read -r first && read -r files && read -r last; } <lines || exit 1
# What the libraries need in turn is for whoever loads them: looking it up takes as long as the runtime.
alone="-nostdlib --allow-shlib-undefined"
# shellcheck disable=SC2086
links() { "$@" begin.o $files end.o -z relro -z now --gc-sections -o direct $last >/dev/null 2>&1 && ./direct; }
# shellcheck disable=SC2086
if links $first $alone; then
	first="$first $alone"
elif ! links $first; then
	exit 1
fi
printf '%s\n' "$first" "$files" "$last"
