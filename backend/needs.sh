#!/bin/sh
# needs.sh FOLDER CC "ARCHIVE..." "WORD..." — of each shared library among the words of a linker a file of the same name in FOLDER: to the linker
# it is that library, with what programs of these archives take of it alone. Reading thousands of names that no program has is half of linking a
# small one. What cannot be made is left out; so are names in a library's own archives (libc_nonshared.a).
folder=$1 cc=$2 archives=$3 words=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder" && rm -f "$folder"/*.so "$folder"/*.so.* || exit 1

# What archives and start-up code leave open or define, and what the code generator calls.
given=
for word in $words; do
	case $word in
	/*.o | /*.a) given="$given $word" ;;
	esac
done
{
	# shellcheck disable=SC2086
	nm -g $archives $given 2>/dev/null | awk 'NF == 2 || NF == 3 { print $NF }'
	for name in sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 exp10 expm1 log log2 log10 log1p pow cbrt hypot erf erfc lgamma tgamma \
		sqrt fma fmod floor ceil trunc rint nearbyint round roundeven fmin fmax ldexp frexp; do
		echo $name
		echo ${name}f
	done
	printf '%s\n' memcpy memmove memset memcmp bcmp __tls_get_addr
} | sort -u >"$work/wanted"

# The library itself, where what is named so is a text that names it.
library() { # FILE
	if head -c 4 "$1" | grep -q ELF; then
		echo "$1"
	else
		tr ' ()\t' '\n' <"$1" | grep '^/.*\.so' | head -n 1
	fi
}

# A line per name: FUNC or OBJECT, size, name, version or "-"; UND or WEAK, 0, name, - of what the library is to find in programs. Names of versions
# that new programs do not get, and of variables of threads, are left out.
names() { # FILE
	readelf -W --dyn-syms "$1" | awk -v wanted="$work/wanted" '
		BEGIN { while ((getline name < wanted) > 0) is[name] = 1 }
		$5 == "LOCAL" || $4 !~ /^(FUNC|IFUNC|NOTYPE|OBJECT)$/ { next }
		$7 == "UND" {
			if ($8 in is)
				print ($5 == "WEAK" ? "WEAK" : "UND"), 0, $8, "-"
			next
		}
		{
			n = split($8, part, "@@")
			if (part[1] in is)
				print ($4 == "OBJECT" ? "OBJECT" : "FUNC"), $3, part[1], (n > 1 ? part[2] : "-")
		}'
}

stand_in() { # FILE NAME
	names "$1" >"$work/names" || return
	soname=$(readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
	[ -n "$soname" ] || return
	awk '
		$1 == "FUNC" { printf "\t.text\n\t.globl %s\n\t.type %s, @function\n%s:\n\t.byte 0\n", $3, $3, $3 }
		$1 == "OBJECT" { printf "\t.bss\n\t.balign 64\n\t.globl %s\n\t.type %s, @object\n\t.size %s, %s\n%s:\n\t.zero %s\n", $3, $3, $3, $2, $3, $2 }
		$1 == "WEAK" { printf "\t.weak %s\n", $3 }
		$1 == "UND" || $1 == "WEAK" { printf "\t.data\n\t.quad %s\n", $3 }
		END { print "\t.section .note.GNU-stack,\"\",@progbits" }' "$work/names" >"$work/names.s"
	awk '$4 != "-" { of[$4] = of[$4] " " $3 ";" } END { for (v in of) printf "%s { global:%s };\n", v, of[v] }' "$work/names" >"$work/versions"
	script=
	[ ! -s "$work/versions" ] || script="-Wl,--version-script=$work/versions"
	# shellcheck disable=SC2086
	"$cc" -shared -nostdlib "-Wl,-soname,$soname" $script -o "$work/made" "$work/names.s" && mv "$work/made" "$folder/$2"
}

for word in $words; do
	case $word in
	/*.so | /*.so.[0-9]*)
		file=$(library "$word")
		[ -z "$file" ] || stand_in "$file" "$(basename "$word")"
		;;
	esac
done 2>/dev/null
: >"$folder/made"
