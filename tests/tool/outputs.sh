# outputs.sh — the files of a compilation: nothing that was read is written over, all appear at once or not at all, and none of an
# earlier compilation is left beside them.
mkdir -p "$work/o" "$work/o/cache"
cd "$work/o" || exit 1
printf 'const N : int = 1;\nconst V : int = 1;\nplace p = ranks(0..N);\nparam w : f32[8] @p : S(0) = ones();\nmain { print("version", V, sum(w) to B); }\n' >v.pml
printf 'place pml = ranks(0..1);\nplace mpi = ranks(1..2);\nparam a : f32[4] @ pml = ones();\nparam b : f32[4] @ mpi = ones();\nmain { print(sum(a), sum(b)); }\n' >named.pml
printf 'import helper;\nmain { print(helper.two()); }\n' >user.pml
printf 'fn two() -> int { return 2; }\n' >helper.pml
cp v.pml v.kept
cp helper.pml helper.kept
files() { ls -A | tr '\n' ' '; }

# The archives that programs are linked with, with debug information and without, have the same symbols.
folder=$(dirname "$PMLC")
if [ -f "$folder/libpmlrt-plain.a" ]; then
	[ "$(nm -s "$folder/libpmlrt.a" | grep -c ' in ')" = "$(nm -s "$folder/libpmlrt-plain.a" | grep -c ' in ')" ] && ok || bad "the archive without debug information lacks symbols"
fi

# The linker is given what the runtime takes of shared libraries, once: then the program asks these for the same as one that was linked with
# the libraries themselves, which it is where the first does not work, on processors whose functions of numbers are calls too.
if [ -f "$folder/libpmlrt-needs/libc.so" ]; then
	cat >needs.pml <<-PML
		param x : f64[8] = ones();
		param y : f32[8] = ones();
		main {
		    print(sin(x), cos(x), tan(x), asin(x), acos(x), atan2(x, x), tanh(x), exp(x), expm1(x), log(x), log1p(x), x ** x, erf(x), lgamma(x));
		    print(x % 3.0, floor(x), ceil(x), round(x), sqrt(x), sigmoid(x), softplus(x), gelu(x));
		    print(y % 3.0, floor(y), ceil(y), round(y), sqrt(y), y ** y, lgamma(y), tanh(y));
		}
	PML
	mkdir linkers
	for name in ld ld.gold ld.lld; do
		printf '#!/bin/sh\necho call >>"%s/calls"\ncase " $FAILS$* " in *" refuse"*libpmlrt-needs*) exit 1 ;; esac\nexec "%s" "$@"\n' "$PWD" "$(command -v $name)" >linkers/$name
		chmod +x linkers/$name
	done
	expect "linking with what is needed" 0 env PATH="$PWD/linkers:$PATH" PML_CACHE=0 "$PMLC" -O1 --target-cpu=x86-64 needs.pml -o needed
	[ "$(wc -l <calls)" = 1 ] && ok || bad "the linker was called $(wc -l <calls) times"
	expect "linking with libraries" 0 env PATH="$PWD/linkers:$PATH" FAILS=refuse PML_CACHE=0 "$PMLC" -O1 --target-cpu=x86-64 needs.pml -o whole
	for made in needed whole; do
		nm -D $made >$made.names
		readelf -d $made | grep NEEDED >$made.libraries
	done
	cmp needed.names whole.names && cmp needed.libraries whole.libraries && ok || bad "linked with what is needed, the program asks libraries for something else"
fi

expect "the source as output" 1 "$PMLC" v.pml -o v.pml
has err 'error\[PML0802\]: `v.pml` cannot be written: it is read'
ln v.pml hard
expect "the source by another name" 1 "$PMLC" v.pml -o hard
has err 'it is read'
ln -s v.pml soft
expect "the source through a link" 1 "$PMLC" -c v.pml -o soft
has err 'it is read'
expect "an import as output" 1 "$PMLC" user.pml -o ./helper.pml
has err 'it is read'
expect "a budget over the source" 2 "$PMLC" plan --write-budget=hard v.pml
has err 'is a source'
expect "a source without an ending" 1 "$PMLC" compile hard
has err 'it is read'
cmp -s v.pml v.kept && cmp -s helper.pml helper.kept && ok || bad "a source was written over"
rm hard soft

expect "roles called pml and mpi" 0 "$PMLC" named.pml
has err 'role `pml` is `named.pml-role`' 'role `mpi` is `named.mpi-role`'
expect "they run" 0 mpiexec -n 2 ./named
has out '^4 4$'
expect "the launch file runs them" 0 mpiexec -configfile named.mpi
has out '^4 4$'
# Objects and texts have names of their own, whatever -o calls them.
before=$(files)
expect "objects" 0 "$PMLC" -c named.pml
expect "objects of another name" 0 "$PMLC" -c named.pml -o other.o
expect "texts" 0 "$PMLC" -S named.pml -o other.s
expect "an object of one role" 0 "$PMLC" -c v.pml
for file in named.pml-role.o named.mpi-role.o other.pml-role.o other.mpi-role.o other.pml-role.s other.mpi-role.s v.o; do
	[ -s "$file" ] && ok || bad "$file is not there"
	rm -f "$file"
done
[ "$(files)" = "$before" ] && ok || bad "objects and texts: other files: $(files)"
expect "executables stay" 0 mpiexec -n 2 ./named
rm -f named named.mpi named.*-role

expect "three ranks, two roles" 0 "$PMLC" v.pml -g -D N=3 -o stale
is "files of two roles" "stale stale.kernels.0.o stale.mpi stale.p stale.p.1 stale.p.1.o stale.p.o " "$(ls stale* | tr '\n' ' ')"
echo mine >stale.notes
cp stale.p stale.copy
expect "then one role" 0 "$PMLC" v.pml -D N=2 -D V=2 -o stale
is "what is left" "stale stale.copy stale.notes " "$(ls stale* | tr '\n' ' ')"
expect "a stripped program" 0 "$PMLC" v.pml -D N=3 -o stale
strip stale.p
expect "is still ours" 0 "$PMLC" v.pml -D N=2 -o stale
is "what is left" "stale stale.copy stale.notes " "$(ls stale* | tr '\n' ' ')"
echo mine >stale.p
expect "a file where a role would go" 1 "$PMLC" v.pml -D N=3 -o stale
has err '`stale.p` cannot be written: it is there and was not made by pmlc'
is "the file" mine "$(cat stale.p)"
rm stale*

echo 'not mine' >elsewhere
ln -s elsewhere linked
expect "an output that is a link" 0 "$PMLC" v.pml -o linked
is "where it led" 'not mine' "$(cat elsewhere)"
[ -x linked ] && [ ! -L linked ] && ok || bad "the link is still there"
rm linked elsewhere
expect "a device as output" 0 "$PMLC" v.pml -o /dev/null
[ -c /dev/null ] && ok || bad "/dev/null is gone"
"$PMLC" -S v.pml -o /dev/stdout >text 2>err && grep -q 'main:' text && ok || bad "assembly into standard output"
rm text err
# What no cache keeps is written past them, what one does keep is not.
printf 'const N: int = 2048;\nstate x: f32[N, 4097] = zeros();\nstate y: f32[N, 4097] = zeros();\nmain { y = 2.0 * x; }\n' >large.pml
"$PMLC" -S --target-cpu=x86-64-v3 large.pml -o /dev/stdout | grep -q 'vmovnt.*ymm' && ok || bad "a large result"
"$PMLC" -S --target-cpu=x86-64-v3 -D N=64 large.pml -o /dev/stdout | grep -q 'vmovnt' && bad "a small result" || ok
rm large.pml
for option in -S -c -g --verify-each; do
	expect "a device for several roles, $option" 1 "$PMLC" "$option" named.pml -o /dev/null
	has err '`/dev/null` takes one file, and this program has several; choose a name with -o$'
done
[ "$(ls -d /dev/null*)" = /dev/null ] && ok || bad "files in /dev"

# A file that cannot grow, a linker that never ends, a kill: the program of before stays, and nothing else.
expect "a program" 0 "$PMLC" v.pml -D N=3 -D V=7 -o old
before=$(files)
expect "no room" 1 sh -c "ulimit -f 300; exec '$PMLC' v.pml -D N=3 -D V=8 -o old"
is "files" "$before" "$(files)"
if unshare -m sh -c 'mount -t tmpfs none /mnt' 2>/dev/null; then
	mkdir full
	room=$(du -ck old* | awk 'END { print int($1 * 1.4) }') # for one program, not for two
	cat >fill <<-EOF
		mount -t tmpfs -o size=${room}k none full && "$PMLC" v.pml -D N=3 -o full/old && ls -A full >"$work/before" || exit 9
		"$PMLC" v.pml -D N=3 -D V=8 -o full/old
		status=\$?
		ls -A full | cmp - "$work/before" && mpiexec -n 3 full/old || exit 9
		exit \$status
	EOF
	expect "a disk that fills up" 1 unshare -m sh fill
	has err 'error\[PML0802\]: cannot write `full/old.*: No space left on device'
	has out '^version 1 8$'
	rm -r full fill
fi
mkdir "$work/slow"
printf '#!/bin/sh\necho $$ >"%s/linker"\nexec sleep 100\n' "$work" >"$work/slow/gcc"
chmod +x "$work/slow/gcc"
for tool in cc ld ld.gold ld.lld; do cp "$work/slow/gcc" "$work/slow/$tool"; done
gone() { ! kill -0 "$1" 2>/dev/null; } # PID
for signal in KILL TERM; do
	rm -f "$work/linker"
	PATH="$work/slow:$PATH" "$PMLC" v.pml -D N=3 -D V=8 -o old &
	compiler=$!
	soon [ -s "$work/linker" ]
	kill -$signal $compiler
	wait $compiler 2>/dev/null
	soon gone "$(cat "$work/linker")" && ok || bad "the linker goes on after $signal"
	is "files after $signal" "$before" "$(files)"
done
expect "the old program" 0 mpiexec -n 3 ./old
has out '^version 7 8$'
rm old*

printf 'main { for i in 0..1000000000 { print(i); } }\n' >long.pml
for signal in KILL TERM; do
	XDG_CACHE_HOME="$work/o/cache" "$PMLC" run long.pml >/dev/null 2>&1 &
	compiler=$!
	job=
	started() { job=$(pgrep -P $compiler mpiexec); }
	soon started
	[ -n "$job" ] && ok || bad "no mpiexec was started"
	sleep 0.3
	kill -$signal $compiler
	wait $compiler 2>/dev/null
	soon gone "$job" && ok || bad "mpiexec goes on after $signal"
	[ $signal = KILL ] || [ -z "$(ls cache/pml/run | grep -v "^$killed\.")" ] && ok || bad "left in the cache: $(ls cache/pml/run)"
	killed=$compiler
done

# Output that is lost is a failure.
printf 'test "a" { assert(true); }\n' >t.pml
for command in "plan v.pml" "plan --json v.pml" "--emit=graph v.pml" "--emit=llvm-ir v.pml" --help --version "--print=ops" "test t.pml" "explain PML0101"; do
	"$PMLC" $command >/dev/full 2>"$work/err"
	is "status of pmlc $command with a full disk" 1 $?
	name="pmlc $command, output lost"
	has err 'standard output cannot be written'
	lacks err 'ioctl'
done

expect "no standard streams" 0 sh -c "exec '$PMLC' v.pml -o closed <&- >&- 2>&-"
expect "a program of its own" 0 ./closed --quiet
has out '^version 1 8$'
rm closed

cp v.pml ./-x.pml
expect "a name that begins with a hyphen" 0 "$PMLC" -D N=3 -- -x.pml
expect "runs" 0 mpiexec -configfile ./-x.mpi
has out '^version 1 8$'
expect "and words for the program behind it" 0 "$PMLC" run -- -x.pml -- --quiet
has out '^version 1 8$'
lacks err .
expect "words for the program at the wrong place" 2 "$PMLC" run -- -x.pml --quiet
has err 'stand behind `--`: pmlc run -- -x.pml -- --quiet$'
cd "$here" || exit 1
