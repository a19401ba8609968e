# shellcheck shell=sh
# cache.sh — objects from earlier compilations: the same program, sooner; folders that are not one's own, damage, limits.
mkdir -p "$work/c/home" && cd "$work/c" || exit 1
real_home=$HOME real_limit=${PML_CACHE:-} cache=$work/c/home/.cache/pml/objects
unset XDG_CACHE_HOME PML_CACHE
export HOME="$work/c/home"
objects() { ls "$cache" 2>/dev/null | grep -c '\.pmlo$'; }
cat >net.pml <<-EOF
	place p = ranks(0..1);
	param w : f32[8, 4] @ p = normal();
	fn loss(x: f32[16, 8] @ p) { return mean(square(tanh(x @ w))); }
	main {
	    for step in 0..3 {
	        let (l, g) = value_and_grad(loss)(normal(rng(step), [16, 8]) to @p);
	        w -= 0.1 * g.w;
	        print(step, l);
	    }
	}
EOF
with() { PML_CACHE=$1 "$PMLC" --time net.pml -o "$2" 2>"$work/err" || { bad "net.pml with PML_CACHE=$1"; cat "$work/err"; }; }
name="objects of earlier compilations"
with 0 plain
lacks err 'objects from the cache'
[ "$(objects)" -eq 0 ] && ok || bad "$name: kept, although PML_CACHE is 0"
with '' first
has err '^0 of [0-9]+ objects from the cache$'
count=$(sed -n 's/^0 of \([0-9]*\) objects.*/\1/p' "$work/err")
[ "$count" -ge 2 ] && [ "$(objects)" -eq "$count" ] && ok || bad "$name: $(objects) of $count kept"
mv first kept
with 100MB first
has err "^$count of $count objects from the cache\$"
cmp -s first kept && ok || bad "$name: another program"
mpiexec -n 1 ./plain --quiet >"$work/plain" && mpiexec -n 1 ./first --quiet >"$work/out" && cmp -s "$work/plain" "$work/out" && ok ||
	bad "$name: other numbers"
# Kernels are found again after an edit elsewhere, and by another level's name never.
sed 's/0\.\.3/0..4/' net.pml >other && mv other net.pml
with '' edited
has err "^[1-9][0-9]* of $count objects from the cache\$"
lacks err "^$count of $count"
"$PMLC" -O1 --time net.pml -o edited 2>"$work/err"
has err "^0 of $count objects from the cache\$"
name="pmlc run and test, twice"
printf 'test "sums" { assert(1 + 1 == 2); }\nmain { print(3); }\n' >run.pml
for command in "run run.pml" "test run.pml"; do
	expect "$name" 0 "$PMLC" $command
	before=$(objects)
	expect "$name" 0 "$PMLC" $command
	is "$name: objects after pmlc $command" "$before" "$(objects)"
done
expect "$name" 0 "$PMLC" run --time run.pml
has err '^([0-9]+) of \1 objects from the cache$'
[ -z "$(ls "$HOME/.cache/pml/run")" ] && ok || bad "$name: left $(ls "$HOME/.cache/pml/run")"
name="damaged objects"
for object in "$cache"/*.pmlo; do printf 'x' | dd of="$object" bs=1 seek=$(($(wc -c <"$object") - 9)) conv=notrunc 2>/dev/null; done
with '' again
has err "^0 of $count objects from the cache\$"
mpiexec -n 1 ./again --quiet >"$work/out" && [ "$(wc -l <"$work/out")" -eq 4 ] && ok || bad "$name: the program does not run"
name="a folder that others may write to"
rm "$cache"/*.pmlo
chmod 777 "$cache"
with '' again
is "$name: objects" 0 "$(objects)"
chmod 700 "$cache"
with '' again
is "$name: objects, the folder being one's own again" "$count" "$(objects)"
name="PML_CACHE=much"
with much again
has err "PML_CACHE=much: expected bytes, as in PML_CACHE=1GB"
# What was found for `auto`: for the same machine, options and files, imported ones too, and no others; all that is said is said again.
. "$here/found.sh"
export HOME="$work/c/home" PML_CACHE=
name="a search that was done before"
links slow 4 1 1 0.05 50
echo 'const ROWS : int = 64;' >sizes.pml
cat >found.pml <<-EOF
	import sizes;
	place p = ranks(0..2);
	param w : f32[64, 64] @ p : auto = normal();
	fn loss(x: f32[sizes.ROWS, 64] @ p) { return mean(square(tanh(x @ w))); }
	main {
	    for step in 0..3 { w -= 0.1 * grad(loss)(normal(rng(step), [sizes.ROWS, 64]) to @p).w; }
	    let l = sum(w);
	    print("sum: {l}", 1);
	}
EOF
compiled() { "$PMLC" -O0 --time --machine="$work/slow.json" found.pml "$@" 2>"$work/err" || bad "$name: $*: $(cat "$work/err")"; }
said() { grep -v ' ms  \|objects from' "$work/err"; }
compiled -o again
lacks err 'search, done before'
said >said
[ "$(grep -c 'a step takes' said)" -eq 1 ] && [ "$(grep -c PML0118 said)" -eq 1 ] && ok || bad "$name: $(cat said)"
for file in again*; do mv "$file" "searched.$file"; done
compiled -o again
has err ' ms  search, done before$'
said | cmp -s - said && ok || bad "$name: says something else: $(said)"
for file in again*; do cmp -s "$file" "searched.$file" && ok || bad "$name: another program: $file"; done
compiled --no-fusion -o again
lacks err 'search, done before'
for file in sizes.pml "$work/slow.json"; do
	cp "$file" before
	echo >>"$file"
	compiled -o again
	lacks err 'search, done before'
	cp before "$file"
	compiled -o again
	has err 'search, done before'
done
PML_CACHE=0 compiled -o again
lacks err 'search, done before'
expect "pmlc --clear-cache" 0 "$PMLC" --clear-cache
has out '^removed [1-9][0-9]* objects, [0-9.]+ MB, from .*/pml/objects$'
[ "$(objects)" -eq 0 ] && ok || bad "$name: $(objects) left"
expect "pmlc --clear-cache, again" 0 "$PMLC" --clear-cache
has out '^removed 0 objects'
export HOME="$real_home" PML_CACHE="$real_limit"
cd "$here" || exit 1
