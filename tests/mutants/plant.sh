# plant.sh — one line of a source file changed, and programs linked with what comes out; for scripts that read it in.
# root: the source, build: the build folder.

# A variable of the Makefile, with what other variables in it are.
setting() {
	awk -v name="$1" '
		match($0, /^[A-Za-z_]+ = /) { value[substr($0, 1, RLENGTH - 3)] = substr($0, RLENGTH + 1) }
		END {
			text = value[name]
			while (match(text, /[$][(][A-Za-z_]+[)]/))
				text = substr(text, 1, RSTART - 1) value[substr(text, RSTART + 2, RLENGTH - 3)] substr(text, RSTART + RLENGTH)
			print text
		}' "$build/Makefile"
}

# plant FILE OLD NEW OUT: the file with NEW for OLD, which must stand there once; \n and \t in both are newlines and tabs.
plant() {
	OLD=$2 NEW=$3 awk '
		function text(s) { gsub(/\\n/, "\n", s); gsub(/\\t/, "\t", s); return s }
		{ all = all $0 "\n" }
		END {
			old = text(ENVIRON["OLD"])
			at = index(all, old)
			rest = substr(all, at + length(old))
			printf "%s", substr(all, 1, at - 1) text(ENVIRON["NEW"]) rest
			exit !at || index(rest, old) }' "$root/$1" >"$4" || { echo "the old text is not there once"; return 1; }
}

# compile_planted FILE SOURCE OBJECT FLAGS...: SOURCE takes the place of FILE.
compile_planted() {
	planted_file=$1 planted_source=$2 planted_object=$3
	shift 3
	# shellcheck disable=SC2046
	$(setting CC) -iquote "$root/$(dirname "$planted_file")" -std=c11 -O1 $(setting DEFS) "-I$root" "-I$root/lang" "-I$root/compiler" \
		"-I$root/runtime" "-I$build" "-I$build/generated" $(setting LLVM_CPPFLAGS) "$@" -c -o "$planted_object" "$planted_source"
}

# The objects of pmlc itself; those of sources that are no more may still lie beside them.
driver_objects() {
	for driver_source in "$root"/driver/*.c; do echo "$build/driver/pmlc-$(basename "$driver_source" .c).o"; done
}

# link_planted VARIABLE OUT OBJECTS...: with the libraries of a variable of the Makefile behind the objects.
link_planted() {
	planted_libraries=$(setting "$1" | sed "s,\(^\| \)\(lib[a-z]*\.a\),\1$build/\2,g")
	planted_out=$2
	shift 2
	# shellcheck disable=SC2046,SC2086
	$(setting CC) $(setting SANITIZE) $(setting QUICK_LINKER) -o "$planted_out" "$@" $planted_libraries
}
