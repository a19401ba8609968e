#!/bin/sh
# Makes sources.am (which files belong to which library, found by folder) and runs the autotools.
set -eu
cd "$(dirname "$0")"

list() { # NAME FILES...: an automake variable
	name=$1
	shift
	printf '%s =' "$name"
	for f in "$@"; do printf ' \\\n\t%s' "$f"; done
	printf '\n\n'
}
find_in() { # FOLDERS... -- PATTERNS: sorted file names
	find "$@" | sed 's|^\./||' | LC_ALL=C sort
}

{
	echo "# Made by autogen.sh from the folders; do not edit."
	list lang_sources $(find_in lang -name '*.[ch]')
	list lang_extra $(find_in lang -name '*.def' -o -name '*.md' -o -name '*.sh' -o -name '*.awk' | grep '^lang/')
	list compiler_sources $(find_in compiler -name '*.[ch]')
	list compiler_extra $(find_in compiler -name '*.def' -o -path 'compiler/*.md')
	list backend_sources $(find_in backend -name '*.[ch]')
	list backend_extra $(find_in backend -name '*.def' -o -name '*.sh' -o -path 'backend/*.md')
	list runtime_sources $(find_in runtime -name '*.[ch]' ! -name 'starter*.c')
	list moves_sources $(find_in runtime/moves -name '*.[ch]')
	list runtime_extra $(find_in runtime -name '*.def' -o -path 'runtime/*.md')
	list driver_sources $(find_in driver -name '*.[ch]')
	list driver_extra $(find_in driver -name '*.def' -o -path 'driver/*.md')
	list example_files $(find_in examples -type f)
	list test_suites $(find tests -mindepth 2 -maxdepth 2 -name run | LC_ALL=C sort)
	list stdlib_files $(find_in stdlib -maxdepth 1 -name '*.pml')
	list prelude_files $(find_in stdlib/prelude -name '*.pml')
	list shared_extra $(find_in stdlib docs tests tools -type f ! -path 'tests/unit/*.[ch]' ! -name '*.o' ! -path 'stdlib/*.pml')
	tests=$(find_in tests/unit -name 'test_*.c')
	support=$(find_in tests/unit -name '*.[ch]' ! -name 'test_*.c')
	list unit_support $support
	list unit_sources $tests $support
	printf 'check_PROGRAMS =' && for t in $tests; do printf ' \\\n\t%s' "${t%.c}"; done && printf '\n\n'
	for t in $tests; do
		v=$(echo "${t%.c}" | tr '/-' '__')
		case $t in
		*/test_rt_*) kind=rt ;;
		*) kind=pmlc ;;
		esac
		printf '%s_SOURCES = %s\n' "$v" "$t"
		printf '%s_CPPFLAGS = $(%s_test_cppflags)\n' "$v" "$kind"
		printf '%s_CFLAGS = $(%s_test_cflags)\n' "$v" "$kind"
		printf '%s_LDADD = $(%s_test_ldadd)\n\n' "$v" "$kind"
	done
} >sources.am.new
cmp -s sources.am.new sources.am && rm sources.am.new || mv sources.am.new sources.am

mkdir -p build-aux
command -v autoreconf >/dev/null || { echo 'autogen.sh: autoreconf is missing: `./bootstrap.sh build` installs what is needed, or says what that is' >&2; exit 1; }
autoreconf --install --warnings=all,no-portability,no-obsolete
