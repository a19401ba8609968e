# codes.sh — every code has a case and a story. Codes that a file of tests/diag cannot show have theirs here or in a unit test.
printf 'main { print(1); }\n' >"$work/one.pml"

{ head -c 17000000 /dev/zero | tr '\0' ' '; echo 'main { }'; } >"$work/large.pml"
expect "PML0016: too large" 1 "$PMLC" check "$work/large.pml"
has err 'error\[PML0016\]'
rm -f "$work/large.pml"
expect "PML0607: an operator nobody knows" 1 "$PMLC" --print=layout-rules=matmull
has err 'error\[PML0607\]'
mkdir -p "$work/bin"
# The linker itself, and what is tried after it.
printf '#!/bin/sh\necho "no room" >&2\nexit 1\n' >"$work/bin/cc"
chmod +x "$work/bin/cc"
for tool in gcc ld ld.gold ld.lld; do cp "$work/bin/cc" "$work/bin/$tool"; done
expect "PML0801: no linker" 1 env PATH="$work/bin:$PATH" "$PMLC" "$work/one.pml" -o "$work/one"
has err 'error\[PML0801\]' 'no room'
# A linker that was updated since pmlc was configured: the compiler knows where things are now.
rm "$work/bin/cc" "$work/bin/gcc"
printf '#!/bin/sh\n[ ! -e "%s/tried" ] || PATH=${PATH#*:} exec "${0##*/}" "$@"\n: >"%s/tried"\nexit 1\n' "$work" "$work" >"$work/bin/ld"
for tool in ld.gold ld.lld; do cp "$work/bin/ld" "$work/bin/$tool"; done
expect "a linker that fails" 0 env PATH="$work/bin:$PATH" "$PMLC" "$work/one.pml" -o "$work/one"
expect "a linker that failed" 0 "$work/one"
rm -f "$work/one"
# Objects are in memory while the linker runs, so that nothing is left behind however the compiler ends.
mkdir -p "$work/objects"
printf '#!/bin/sh\nls "$TMPDIR" >"%s/seen"; exit 1\n' "$work" >"$work/bin/cc"
chmod +x "$work/bin/cc"
for tool in gcc ld ld.gold ld.lld; do cp "$work/bin/cc" "$work/bin/$tool"; done
expect "objects in memory" 1 env PATH="$work/bin:$PATH" TMPDIR="$work/objects" "$PMLC" "$work/one.pml" -o "$work/one"
[ -f "$work/seen" ] && [ ! -s "$work/seen" ] && ok || bad "files while linking: $(cat "$work/seen")"
expect "PML0802: no folder" 1 "$PMLC" -g "$work/one.pml" -o "$work/none/one"
has err 'error\[PML0802\]'
expect "PML0803: a processor nobody knows" 1 "$PMLC" --target-cpu=z81 "$work/one.pml" -o "$work/one"
has err 'error\[PML0803\]'

"$PMLC" --print=codes | cut -d' ' -f1 >"$work/codes"
[ "$(wc -l <"$work/codes")" -gt 90 ] && ok || bad "--print=codes lists $(wc -l <"$work/codes")"
while read -r code; do
	if grep -qs "//~.*$code" "$here"/../diag/*.pml "$here"/../diag/lib/*.pml || grep -q "error\\\\\[$code" "$here/codes.sh" ||
		grep -qs "$code" "$here"/../unit/*.c; then ok; else bad "$code has no case"; fi
	"$PMLC" explain "$code" >"$work/story" 2>&1 && [ "$(wc -w <"$work/story")" -ge 20 ] && ok || bad "$code has no story"
done <"$work/codes"
