# pipeline.sh — what a pipeline sends in a step, by plan and by the counters of the running program, and what its stages hold. Step of
# shared.pml: every micro-batch's activations of 64 / M rows of 8 floats once forward and once backward between neighbours; the shared
# matrix of 512 bytes once there and its gradient once back, whatever M is; gradients of layers are reduced over dp once.
rows() { # FIELD=TEXT ...: how many transfers of a step in $work/plan have all of these
	pattern=
	for f; do pattern="$pattern.*\"${f%%=*}\": \"${f#*=}\""; done
	grep '^ *{"id":' "$work/plan" | grep -Ec -- "$pattern"
}
expect_rows() { # NUMBER FIELD=TEXT ...
	want=$1
	shift
	n=$(rows "$@")
	[ "$n" -eq "$want" ] && ok || bad "$name: $n transfers of a step with $*, not $want"
}

for way in "2 4 1f1b" "2 8 gpipe" "3 4 gpipe" "4 8 1f1b"; do
	set -- $way
	expect "plan of $1 stages, $2 micro-batches, $3" 0 "$PMLC" plan --json -D "PP=$1" -D "M=$2" -D "ORDER=\"$3\"" "$here/shared.pml"
	cp "$work/out" "$work/plan"
	expect_rows $((($1 - 1) * $2)) phase=backward tensor=h
	expect_rows 1 phase=forward tensor=transpose 'from=@grid\[pp = 0\] : B' "to=@grid\[pp = $(($1 - 1))\] : B"
	expect_rows 1 phase=backward tensor=dwords "from=@grid\[pp = $(($1 - 1))\] : B" 'to=@grid\[pp = 0\] : B'
	has out "\"forward\": {\"transfers\": $((($1 - 1) * $2 + 1)), .*\"bytes\": $((($1 - 1) * 2048 + 512))}, \"backward\"" \
		"\"backward\": {\"transfers\": $((($1 - 1) * $2 + 1)), .*\"bytes\": $((($1 - 1) * 2048 + 512))}, \"host\""
	[ "$1" -lt 4 ] || continue
	expect "run of $1 stages" 0 "$PMLC" run -O0 -n "$1" -D "PP=$1" -D "M=$2" -D "ORDER=\"$3\"" "$here/shared.pml" -- --quiet \
		"--profile=$work/profile"
	sent=$(sed -n 's/.*"direction": "[fb].*"calls": 3, "bytes": \([0-9]*\),.*/\1/p' "$work/profile" | awk '{ n += $1 } END { print n }')
	[ "$sent" -eq $((3 * 2 * (($1 - 1) * 2048 + 512))) ] && ok || bad "$name: $sent bytes are counted in 3 steps"
done

# The trace has every pass of every rank, once a step, one after the other.
for way in forward backward; do
	for micro in 0 1 2 3; do
		n=$(grep -c "\"name\":\"$way $micro\",\"args\":{\"processor\":[0-9.]*}" "$work/profile")
		[ "$n" -eq 9 ] && ok || bad "$name: $n passes $way over micro-batch $micro in the trace of 3 steps and 3 ranks"
	done
done
sed -n 's/.*"pid":\([0-9]*\),"tid":3,"ts":\([0-9.]*\),"dur":\([0-9.]*\),.*/\1 \2 \3/p' "$work/profile" |
	awk '{ if ($1 == rank && $2 < end - 0.01) wrong = 1; rank = $1; end = $2 + $3 } END { exit wrong || NR != 72 }' && ok ||
	bad "$name: passes of a rank overlap in the trace"

# Data, tensor and pipeline parallel, layers in shares over dp: each of the 8 gradients of layers is scattered once, that of the shared
# matrix sent once and summed once. What is moved for every micro-batch grows with their number, nothing else does.
for m in 2 4; do
	expect "plan of dp x pp x tp, $m micro-batches" 0 "$PMLC" plan --json -D DP=2 -D TP=2 -D M=$m "$here/shared.pml"
	cp "$work/out" "$work/plan"
	expect_rows 8 phase=backward kind=reduce-scatter axes=dp 'tensor=d(up|down)\.[0-3]'
	expect_rows 8 phase=backward axes=dp
	expect_rows 8 phase=forward kind=all-gather axes=dp
	expect_rows 1 phase=backward kind=reduce-send tensor=dwords
	expect_rows 1 phase=backward axes=dp,tp tensor=dwords
done
expect "run of dp x pp x tp" 0 "$PMLC" run -O0 -n 8 -D DP=2 -D TP=2 "$here/shared.pml" -- --quiet "--profile=$work/profile"
n=$(grep -c '"kind": "reduce-scatter", "direction": "backward", "calls": 3,' "$work/profile")
[ "$n" -eq 8 ] && ok || bad "$name: $n gradients are scattered once a step, not 8"
n=$(grep '"kind": "' "$work/profile" | grep -vc '"calls": 3,')
[ "$n" -eq 0 ] && ok || bad "$name: $n transfers do not run once a step as planned"

# Every pass does its own products, 2 a layer forward and 4 backward; a backward pass sends its message when half of them are done, before
# the gradients of weights: turn by turn, since a loop sends when all its turns are done.
expect "steps of passes" 0 "$PMLC" --emit=plan --loops=unrolled -D PP=3 -D D=32 -D N=64 -D M=4 "$here/../bench/pipeline.pml"
awk '/^role/ { role++ } /: pass / { pass = role " " $3 " " $NF } /: no pass$/ { pass = "" } /: gemm/ && pass { n[pass]++ }
	/: begin transfer [0-9]* from/ && pass { sent[pass] = n[pass] }
	END { for (pass in n) { split(pass, p); want = p[2] == "forward" ? 8 : 16; first = p[1] == 1; last = p[1] == 3
		early = p[2] == "forward" ? (last ? "" : 8) : (first ? "" : 8); passes++
		if (n[pass] != want || sent[pass] != early) { print "pass " pass ": " n[pass] " products, sends after " sent[pass]; wrong = 1 } }
	      exit wrong || passes != 24 }' "$work/out" >"$work/wrong" && ok || bad "$name: $(cat "$work/wrong")"

# Stage s of p holds the activations of at most p - s micro-batches under 1f1b, and of p - s where there are as many; of all under gpipe.
held() { sed -n 's/.*"level": .*"held": \([0-9]*\).*/\1/p' "$work/out" | tr '\n' ' '; }
for way in "1 1 1f1b 1" "2 1 1f1b 1 1" "2 8 1f1b 2 1" "3 2 1f1b 2 2 1" "4 8 1f1b 4 3 2 1" "4 2 1f1b 2 2 2 1" "6 16 1f1b 6 5 4 3 2 1" \
	"3 4 gpipe 4 4 4"; do
	set -- $way
	p=$1 m=$2 order=$3
	shift 3
	expect "$p stages, $m micro-batches, $order" 0 "$PMLC" plan --json -D "grid=ranks(0..$p) as (pp=$p, dp=1, tp=1)" -D "M=$m" -D D=8 -D L=12 \
		-D "ORDER=\"$order\"" "$here/../../examples/pipeline.pml"
	[ "$(held)" = "$* " ] && ok || bad "$name: stages hold $(held), not $*"
done
