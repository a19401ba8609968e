# pipeline.sh — what a pipeline sends in a step, by plan and by the counters of the running program, and what its stages hold. Step of
# shared.pml: every micro-batch's activations of 64 / M rows of 8 floats once forward and once backward between neighbours; the shared
# matrix of 512 bytes once there and its gradient once back, whatever M is; gradients of layers are reduced over dp once.
rows() { # FIELD=TEXT ...: how many transfers of a step in $work/plan have all of these
	pattern=
	for f; do pattern="$pattern.*\"${f%%=*}\": \"${f#*=}\""; done
	grep '^ *{"id":' "$work/plan" | grep -E -- "$pattern" | sed 's/.*"turns": \([0-9]*\).*/\1/' |
		awk '{ n += $1 > 0 ? $1 : 1 } END { print n + 0 }'
}
expect_rows() { # NUMBER FIELD=TEXT ...
	want=$1
	shift
	n=$(rows "$@")
	[ "$n" -eq "$want" ] && ok || bad "$name: $n transfers of a step with $*, not $want"
}

for way in "2 4 1f1b" "2 8 gpipe" "3 4 zb" "3 4 gpipe" "4 8 1f1b"; do
	set -- $way
	expect "plan of $1 stages, $2 micro-batches, $3" 0 "$PMLC" plan --json -D "PP=$1" -D "M=$2" -D "ORDER=\"$3\"" "$here/shared.pml"
	cp "$work/out" "$work/plan"
	expect_rows $((($1 - 1) * $2)) phase=backward tensor=h
	expect_rows 1 phase=forward "tensor=transpose\(words\)" 'from=@grid\[pp = 0\] : B' "to=@grid\[pp = $(($1 - 1))\] : B"
	expect_rows 1 phase=backward tensor=dwords "from=@grid\[pp = $(($1 - 1))\] : B" 'to=@grid\[pp = 0\] : B'
	has out "\"forward\": {\"transfers\": $((($1 - 1) * $2 + 1)), .*\"bytes\": $((($1 - 1) * 2048 + 512))}, \"backward\"" \
		"\"backward\": {\"transfers\": $((($1 - 1) * $2 + 1)), .*\"bytes\": $((($1 - 1) * 2048 + 512))}, \"host\""
	[ "$1" -lt 4 ] && { [ "$1" -eq 3 ] || taken 3; } || continue
	expect "run of $1 stages" 0 "$PMLC" run -O0 -n "$1" -D "PP=$1" -D "M=$2" -D "ORDER=\"$3\"" "$here/shared.pml" -- --quiet \
		"--profile=$work/profile"
	cp "$work/profile" "$work/profile.$3"
	sent=$(sed -n 's/.*"direction": "[fb].*"calls": [0-9]*, "bytes": \([0-9]*\),.*/\1/p' "$work/profile" | awk '{ n += $1 } END { print n }')
	[ "$sent" -eq $((3 * 2 * (($1 - 1) * 2048 + 512))) ] && ok || bad "$name: $sent bytes are counted in 3 steps"
done

# The trace has every pass of every rank, once a step, one after the other. Gradients of weights are passes of their own under zb, and the
# first stage does nothing else backward.
traced() { # FILE PASSES "WAY PASSES_OF_A_MICRO_BATCH" ...
	file=$1 all=$2
	shift 2
	for way; do
		for micro in 0 1 2 3; do
			n=$(grep -c "\"name\":\"${way% *} $micro\",\"args\":{\"processor\":[0-9.]*}" "$file")
			[ "$n" -eq "${way#* }" ] && ok || bad "$name: $n passes ${way% *} over micro-batch $micro in the trace of 3 steps and 3 ranks"
		done
	done
	sed -n 's/.*"pid":\([0-9]*\),"tid":3,"ts":\([0-9.]*\),"dur":\([0-9.]*\),.*/\1 \2 \3/p' "$file" |
		awk -v all="$all" '{ if ($1 == rank && $2 < end - 0.01) wrong = 1; rank = $1; end = $2 + $3 } END { exit wrong || NR != all }' && ok ||
		bad "$name: passes of a rank overlap in the trace"
}
traced "$work/profile.gpipe" 72 "forward 9" "backward 9"
traced "$work/profile.zb" 96 "forward 9" "backward 6" "weights 9"

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
# the gradients of weights: turn by turn, since a loop sends when all its turns are done. Under zb the halves are passes of their own, in
# loops as well.
own_products() { # RANK:PASS=PRODUCTS,PRODUCTS_BEFORE_MESSAGE ...
	awk -v want="$*" 'BEGIN { while (want != "") { first = want; sub(/ .*/, "", first); sub(/^[^ ]* ?/, "", want); split(first, one, "="); expected[one[1]] = one[2]; kinds++ } }
		/^role/ { role++ } /: pass / { pass = role " " $3 " " $NF } /: no pass$/ { pass = "" } /: gemm/ && pass { n[pass]++ }
		/: begin transfer [0-9]* from/ && pass { sent[pass] = n[pass] }
		END { for (pass in n) { split(pass, p); passes++
			if (n[pass] "," sent[pass] != expected[p[1] ":" p[2]]) {
				print "pass " pass ": " n[pass] " products, sends after " sent[pass]; wrong = 1 } }
		      exit wrong || passes != 4 * kinds }' "$work/out" >"$work/wrong" && ok || bad "$name: $(cat "$work/wrong")"
}
expect "steps of passes" 0 "$PMLC" --emit=plan --loops=unrolled -D PP=3 -D D=32 -D N=64 -D M=4 "$here/../bench/pipeline.pml"
own_products 1:forward=8,8 2:forward=8,8 3:forward=8, 1:backward=16, 2:backward=16,8 3:backward=16,8
expect "steps of passes in two pieces" 0 "$PMLC" --emit=plan --loops=unrolled -D PP=3 -D D=32 -D N=64 -D M=4 -D 'ORDER="zb"' \
	"$here/../bench/pipeline.pml"
own_products 1:forward=8,8 2:forward=8,8 3:forward=8, 1:weights=16, 2:backward=8,8 3:backward=8,8 2:weights=8, 3:weights=8,
expect "loops of passes in two pieces" 0 "$PMLC" --emit=plan -D PP=3 -D D=32 -D N=64 -D M=4 -D 'ORDER="zb"' "$here/../bench/pipeline.pml"
own_products 1:forward=2,2 2:forward=2,2 3:forward=2, 1:weights=4, 2:backward=2,2 3:backward=2,2 2:weights=2, 3:weights=2,

# Micro-batches are one body until they are put in order, a param of two stages and all.
for m in 4 16; do
	expect "layout of $m micro-batches" 0 "$PMLC" --emit=layout -D M=$m "$here/shared.pml"
	wc -l <"$work/out" >"$work/lines.$m"
done
cmp -s "$work/lines.4" "$work/lines.16" && ok || bad "$name: graphs grow with the number of micro-batches: $(cat "$work/lines.4" "$work/lines.16")"

# So are plans of layers in loops, in every schedule.
for order in $(share 3 1f1b gpipe zb); do
	for m in 16 32; do
		expect "plan of $m micro-batches, $order" 0 "$PMLC" --emit=plan -D M=$m -D N=256 -D D=16 -D "ORDER=\"$order\"" "$here/../bench/pipeline.pml"
		wc -l <"$work/out" >"$work/lines.$m"
	done
	cmp -s "$work/lines.16" "$work/lines.32" && ok || bad "$name: plans grow with the number of micro-batches: $(cat "$work/lines.16" "$work/lines.32")"
done

# Passes ahead of the loops of periods, in them and behind them are the same code, but for what is stored or added to by the first of them.
# Kernels without their names, a line each; those of all roles once.
for order in $(share 2 1f1b gpipe); do
	for m in 2 16; do
		expect "kernels of $m micro-batches, $order, two parts a stage" 0 "$PMLC" --emit=kernel -D DP=1 -D PP=2 -D TURNS=2 -D D=32 -D M=$m \
			-D "ORDER=\"$order\"" "$here/../../examples/gpt.pml"
		sed 's/"[^"]*"//g' "$work/out" | awk '/^kernel/ { text = "" } { text = text $0 } /^}/ { print text }' | sort -u | wc -l >"$work/kernels.$m"
	done
	awk 'NR == 1 { few = $1 } END { exit !(few > 0 && $1 <= 1.28 * few) }' "$work/kernels.2" "$work/kernels.16" && ok ||
		bad "$name: kernels grow with the number of micro-batches: $(cat "$work/kernels.2" "$work/kernels.16")"
done

# What stages are told stays with the loop while its text is read back.
expect "order of stages behind --verify-each" 0 "$PMLC" --emit=pipeline --verify-each -D 'ORDER="zb"' -D HOLD=3 "$here/../../examples/pipeline.pml"
has out '^pipeline zb, 8 micro-batches'

# Two pieces or one: the same bits.
sed '$d' "$here/../prog/zero_bubble.pml" >"$work/pieces.pml"
printf '    save("params.safetensors");\n}\n' >>"$work/pieces.pml"
for loops in $(share 2 kept unrolled); do
	rm -f "$work/params"
	[ $loops = kept ] || [ -n "${TEST_LONG:-}" ] && set -- '1f1b 0' 'zb 0' 'zb 2' 'gpipe 0' || set -- '1f1b 0' 'zb 2'
	for way; do
		taken 2 || continue
		expect "run of $way, loops $loops" 0 env -C "$work" "$PMLC" run -O0 -n 3 --loops=$loops -D LAYOUT=5 -D "ORDER=\"${way% *}\"" \
			-D "HOLD=${way#* }" pieces.pml -- --quiet
		[ -f "$work/params" ] || cp "$work/params.safetensors" "$work/params"
		cmp -s "$work/params" "$work/params.safetensors" && ok || bad "$name: params have other bits than under 1f1b"
	done
done

# So where stages are come back to, which have periods under 1f1b.
sed 's/microbatch(6,/microbatch(12,/' "$work/pieces.pml" >"$work/parts.pml"
expect "stages that are come back to" 0 "$PMLC" --emit=pipeline -D LAYOUT=10 -D 'ORDER="1f1b"' "$work/parts.pml"
has out '^ *loop [0-9]* .*turns [0-9]* stages'
# What is shown of every micro-batch keeps no pipeline from having periods.
expect "stages that print" 0 "$PMLC" --emit=pipeline -D LAYOUT=1 "$here/../prog/printing_stages.pml"
has out '^ *loop [0-9]* .*turns [0-9]* stages'
rm -f "$work/params"
for way in $(share 3 1f1b gpipe zb); do
	expect "run of $way" 0 env -C "$work" "$PMLC" run -O0 -n 2 -D LAYOUT=10 -D "ORDER=\"$way\"" parts.pml -- --quiet
	[ -f "$work/params" ] || cp "$work/params.safetensors" "$work/params"
	cmp -s "$work/params" "$work/params.safetensors" && ok || bad "$name: params have other bits than under 1f1b"
done

# Stage s of p holds the activations of at most p - s micro-batches under 1f1b, and of p - s where there are as many; of all under gpipe; under
# zb every stage as many as the first, or as it is told.
held() { sed -n 's/.*"level": .*"held": \([0-9]*\).*/\1/p' "$work/out" | tr '\n' ' '; }
for way in "1 1 1f1b 1" "2 1 1f1b 1 1" "2 8 1f1b 2 1" "3 2 1f1b 2 2 1" "4 8 1f1b 4 3 2 1" "4 2 1f1b 2 2 2 1" "6 16 1f1b 6 5 4 3 2 1" \
	"3 4 gpipe 4 4 4" "2 8 zb 2 2" "4 8 zb 4 4 4 4" "4 16 zb,7 7 7 7 7"; do
	taken 2 || continue
	set -- $way
	p=$1 m=$2 order=${3%,*} hold=0
	[ "$order" = "$3" ] || hold=${3#*,}
	shift 3
	expect "$p stages, $m micro-batches, $order $hold" 0 "$PMLC" plan --json -D "grid=ranks(0..$p) as (pp=$p, dp=1, tp=1)" -D "M=$m" -D D=8 -D L=12 \
		-D "ORDER=\"$order\"" -D "HOLD=$hold" "$here/../../examples/pipeline.pml"
	[ "$(held)" = "$* " ] && ok || bad "$name: stages hold $(held), not $*"
done
