# routes.sh — movements in several steps: bytes that the plan announces and that ranks count are those of the best way.
# bytes_of FILE LINE: of all rows of that source line.
bytes_of() { awk -v line="\"line\": $2," 'index($0, line) { sub(/.*"bytes": /, ""); sub(/,.*/, ""); sum += $0 } END { print sum + 0 }' "$1"; }
# way LAYOUT BYTES OF: a sum over an axis of 4 x 2 ranks, moved in line 4; all ranks compare it with what each works out alone. On $several
# arrangements of ranks on hosts as well.
several="0,0,0,0,1,1,1,1 0,1,0,1,2,2,0,1"
way() {
	taken 3 || return
	cat >"$work/way.pml" <<-END
		place m = ranks(0..8) as (a = 4, b = 2);
		state s : f32[16, 24, 8] @ m : $3 = zeros();
		main { let x = floor(uniform(rng(1), [16, 24, 8]) * 9.0); s = x; print("begin");
		    let d = sum_along(s) to $1;
		    print("wrong:", sum(d != sum_along(x to @m : B)) to B); }
	END
	expect "$3 summed up, to $1: planned" 0 "$PMLC" plan --json "$work/way.pml"
	[ "$(bytes_of "$work/out" 4)" = "$2" ] && ok || bad "$3 summed up, to $1: $(bytes_of "$work/out" 4) bytes planned, not $2"
	expect "$3 summed up, to $1: compiled" 0 "$PMLC" -O0 "$work/way.pml" -o "$work/way"
	for hosts in one $several; do
		if PMLRT_HOSTS=$hosts timeout 60 "${MPIEXEC:-mpiexec}" -n 8 "$work/way" --quiet "--profile=$work/way.json" >"$work/out" 2>"$work/err"; then ok; else
			bad "$3 to $1 on hosts $hosts: does not run"
		fi
		has out '^wrong: 0'
		[ "$(bytes_of "$work/way.json" 4)" = "$2" ] && ok || bad "$3 to $1 on hosts $hosts: $(bytes_of "$work/way.json" 4) bytes counted, not $2"
	done
}
t=$((16 * 24 * 4))
way '(a=S(0), b=B)' $(((4 + 2 - 2) * t)) '(a=S(2))'
[ -n "${TEST_LONG:-}" ] || several=
way 'B' $(((4 * 2 + 4 - 2) * t)) '(a=S(2))'
way 'B' $(((2 * 4 + 2 - 2) * t)) '(b=S(2))'
way 'B' $((2 * 7 * t)) '(a=S(2), b=S(2))'
way '(a=S(1), b=B)' $(((8 - 1 + 1) * t)) '(a=S(2), b=S(2))'
way '(a=B, b=S(0))' $(((4 - 1 + 4 - 1) * t)) '(a=S(2), b=S(0))'

# Rows taken by index: each element once to every rank that lacks it, whoever owns it, and to every host but one once; ranks count what is announced.
by_rows() { # NAME BYTES EDITS OF THE PROGRAM...
	taken 3 || return
	name=$1 bytes=$2
	shift 2
	cat >"$work/rows.pml" <<-'END'
		place p = ranks(0..4) as (a = 2, b = 2);
		state t : f32[13, 8] @ p : (a=S(0), b=S(0)) = reshape(iota(13 * 8) as f32, [13, 8]);
		state i : i32[6] @ p = [12, 0, 12, 5, 3, 12];
		state y : f32[6, 8] @ p = zeros();
		main { y = embed(t, i) to B; print(sum(y)); }
	END
	for edit; do sed -i "$edit" "$work/rows.pml"; done
	expect "the plan of rows, $name" 0 "$PMLC" plan --json "$work/rows.pml"
	has out "\"step\": {\"flops\": [0-9]*, \"all\": {\"transfers\": [123], \"bytes_per_rank\": [0-9]*, \"received_per_rank\": [0-9]*, \"bytes\": $bytes}"
	staged=$(sed -n 's/.*"staging": \([0-9]*\).*/\1/p' "$work/out" | sort -n | tail -1)
	expect "rows compiled, $name" 0 "$PMLC" -O0 "$work/rows.pml" -o "$work/rows"
	# Without windows, so that all there is is staging.
	for hosts in $(share 2 one 0,0,1,1 0,1,2,0 0,1,2,3); do
		if PMLRT_WINDOW_BYTES=0 PMLRT_HOSTS=$hosts timeout 60 "${MPIEXEC:-mpiexec}" -n 4 "$work/rows" --memory "--profile=$work/rows.json" >"$work/out" 2>"$work/err"; then ok; else
			bad "rows do not run, $name, hosts $hosts"
		fi
		has out '^2984$'
		cat "$work/out" "$work/err" | awk -v staged="$staged" '$1 == "transfers" { seen = $5 == "B" && $4 + 0 <= staged + 0 } END { exit !seen }' && ok ||
			bad "rows, $name, hosts $hosts: more staging than $staged B"
		awk '/"announced":/ { n++; match($0, /"bytes": [0-9]+/); sent = substr($0, RSTART + 9, RLENGTH - 9); match($0, /"announced": [0-9]+/)
			wrong += sent != substr($0, RSTART + 13, RLENGTH - 13) } END { exit !n || wrong }' "$work/rows.json" && ok || bad "rows, $name, hosts $hosts: other bytes than announced"
		awk -v hosts="$hosts" '/"row-gather"/ { match($0, /"between_hosts": [0-9]+/); crosses = substr($0, RSTART + 17, RLENGTH - 17)
			exit crosses > 192 * (hosts == "one" ? 0 : hosts == "0,0,1,1" ? 1 : hosts == "0,1,2,3" ? 3 : 2) }' "$work/rows.json" && ok || bad "rows, $name, hosts $hosts: too much between hosts"
	done
}
by_rows "shared out along both axes" $((3 * 192))
by_rows "shared out along one, and gathered along the other" $((3 * 192)) 's/(a=S(0), b=S(0))/(a=S(0))/'
by_rows "computed with before they are moved" $((3 * 192)) 's/embed(t, i) to B/relu(embed(t, i)) to B/'
by_rows "reshaped before they are moved" $((3 * 192)) 's/embed(t, i) to B/reshape(relu(reshape(embed(t, i), [3, 16])), [6, 8]) to B/'
by_rows "of which a part is taken, by indices in another order" $((3 * 192)) \
	's/embed(t, i) to B/reshape(embed(t, transpose(reshape(concat([i, i]), [4, 3])))[0..3, 0..2], [6, 8]) to B/'
by_rows "of parts of columns" $((3 * 192)) 's/(a=S(0), b=S(0))/(a=S(0), b=S(1))/'

# Rows that are kept split go from their owners to who keeps them, and what is added up in them back: of eight rows six change ranks.
cat >"$work/kept.pml" <<-'END'
	place p = ranks(0..4) as (a = 2, b = 2);
	param t : f32[64, 8] @ p : (a=S(0), b=S(0)) = reshape(iota(64 * 8) as f32, [64, 8]);
	fn f(i) { let y = embed(t, i) to (a=S(0), b=S(0)); return sum(y * y) to B; }
	main { let (l, g) = value_and_grad(f, wrt = [t])([60, 0, 60, 20, 3, 60, 1, 40]); print(l, sum(g.t * g.t) to B); }
END
expect "the plan of rows kept" 0 "$PMLC" plan "$work/kept.pml"
has out 'forward *row-scatter, 192 B if owners are spread .* 192 B *64 B *256 B ' 'backward *row-return, 192 B if owners are spread .* 64 B *192 B *256 B '
expect "rows kept compiled" 0 "$PMLC" -O0 "$work/kept.pml" -o "$work/kept"
for hosts in one 0,0,1,1 0,1,2,0; do
	[ $hosts = one ] && crosses=0 || crosses=128
	PMLRT_HOSTS=$hosts timeout 60 "${MPIEXEC:-mpiexec}" -n 4 "$work/kept" "--profile=$work/kept.json" >"$work/out" 2>"$work/err" && ok || bad "rows kept do not run, hosts $hosts"
	has out '^6.66915e\+06 7.15619e\+07$'
	lacks out announced
	cp "$work/kept.json" "$work/out"
	has out "\"row-scatter\", \"direction\": \"forward\", \"calls\": 1, \"bytes\": 192, \"bytes_per_rank\": [0-9]*, \"between_hosts\": $crosses, \"announced\": 256" \
		"\"row-return\", \"direction\": \"backward\", \"calls\": 1, \"bytes\": 192, \"bytes_per_rank\": [0-9]*, \"between_hosts\": $crosses, \"announced\": 256"
done
# What leads to rows that return stays split, and they return for each of two tables.
cat >"$work/kept.pml" <<-'END'
	place p = ranks(0..4);
	param t : f32[64, 8] @ p : S(0) = reshape(iota(64 * 8) as f32 % 8.0, [64, 8]);
	param u : f32[64, 8] @ p : S(0) = reshape(iota(64 * 8) as f32 % 4.0, [64, 8]);
	param w : f32[8, 16] @ p = ones();
	fn f(i, j) { let y = relu((embed(t, i) + embed(u, j) to S(0)) @ w); return sum(y * y) to B; }
	main { let (l, g) = value_and_grad(f)([60, 0, 60, 20, 3, 60, 1, 40], [0, 17, 34, 51, 60, 18, 36, 3]); print(l, sum(g.t) to B, sum(g.u) to B, sum(g.w)); }
END
expect "the plan of rows for two tables" 0 "$PMLC" plan "$work/kept.pml"
lacks out all-gather
[ "$(grep -c 'backward *row-return, 192 B if owners are spread .* 64 B *192 B *256 B ' "$work/out")" = 2 ] && ok || bad "rows of two tables do not return twice"
expect "rows for two tables run" 0 "$PMLC" run "$TEST_LEVEL" "$work/kept.pml"
cp "$work/out" "$work/kept.out"
sed 's/ranks(0..4)/ranks(0..1)/' "$work/kept.pml" >"$work/kept1.pml"
expect "rows for two tables, on one rank" 0 "$PMLC" run "$TEST_LEVEL" "$work/kept1.pml"
cmp -s "$work/out" "$work/kept.out" && ok || bad "rows for two tables are not those of one rank"
# Parts of a gradient are scattered, and return then.
cat >"$work/kept.pml" <<-'END'
	place p = ranks(0..4);
	param t : f32[64, 8] @ p : S(0) = reshape(iota(64 * 8) as f32 % 8.0, [64, 8]);
	param w : f32[8, 16] @ p : S(1) = ones();
	fn f(i) { let y = relu((embed(t, i) to B) @ w); return sum(y * y) to B; }
	main { let (l, g) = value_and_grad(f)([60, 0, 60, 20, 3, 60, 1, 40]); print(l, sum(g.t) to B, sum(g.w) to B); }
END
expect "the plan of parts of rows" 0 "$PMLC" plan "$work/kept.pml"
has out 'backward *reduce-scatter .* 192 B *192 B *768 B ' 'backward *row-return, 192 B if owners are spread .* 64 B *192 B *256 B '
expect "parts of rows run" 0 "$PMLC" run "$TEST_LEVEL" "$work/kept.pml"
cp "$work/out" "$work/kept.out"
sed 's/ranks(0..4)/ranks(0..1)/; s/: S(1)//' "$work/kept.pml" >"$work/kept1.pml"
expect "parts of rows on one rank" 0 "$PMLC" run "$TEST_LEVEL" "$work/kept1.pml"
cmp -s "$work/out" "$work/kept.out" && ok || bad "parts of rows are not those of one rank"
# Rows that end otherwise go by owners first.
cat >"$work/kept.pml" <<-'END'
	place p = ranks(0..4) as (a = 2, b = 2);
	state t : f32[13, 8] @ p : (a=S(0), b=S(0)) = zeros();
	state y : f32[8, 8] @ p : (a=S(0), b=B) = zeros();
	main { y = embed(t, [12, 0, 12, 5, 3, 12, 1, 9]) to (a=S(0), b=B); }
END
expect "the plan of rows kept by two" 0 "$PMLC" plan "$work/kept.pml"
has out 'row-scatter, 192 B if owners are spread .* 256 B ' 'all-gather .* 256 B '

# A box that is split by an axis in front of what splits it already is no part of it: as a sum.
cat >"$work/kept.pml" <<-'END'
	place p = ranks(0..4) as (a = 2, b = 2);
	state t : f32[13, 8] @ p : (a=S(0)) = reshape(iota(13 * 8) as f32, [13, 8]);
	state y : f32[9, 8] @ p : (a=S(0), b=S(0)) = zeros();
	main { y = embed(t, [12, 0, 12, 5, 3, 12, 1, 9, 7] to @p : (b=S(0))) to (a=S(0), b=S(0)); print(y to B); }
END
expect "rows split behind others" 0 "$PMLC" run "$TEST_LEVEL" "$work/kept.pml"
cp "$work/out" "$work/kept.out"
sed 's/ranks(0..4) as (a = 2, b = 2)/ranks(0..1) as (a = 1, b = 1)/' "$work/kept.pml" >"$work/kept1.pml"
expect "rows split behind others, on one rank" 0 "$PMLC" run "$TEST_LEVEL" "$work/kept1.pml"
cmp -s "$work/out" "$work/kept.out" && ok || bad "rows split behind others are not those of one rank"

# Groups that would add up the same share the work, but not across hosts, where each has all parts: nothing is sent between these. Where parts are
# on two hosts, each sum crosses once either way.
cat >"$work/groups.pml" <<-'END'
	place p = ranks(0..4) as (a = 2, b = 2);
	state s : f32[64, 32] @ p : B = zeros();
	state x : f32[4, 64, 32] @ p : (b=S(0)) = ones();
	main { let y = floor(uniform(rng(1), [4, 64, 32]) * 9.0); x = y; s = sum(x, dim = 0) to B; print("wrong:", sum(s != sum(y to @p : B, dim = 0)) to B); }
END
expect "groups compiled" 0 "$PMLC" -O0 "$work/groups.pml" -o "$work/groups"
for hosts in $(share 3 one 0,0,1,1 0,1,0,1 0,1,1,0); do
	if PMLRT_HOSTS=$hosts timeout 60 "${MPIEXEC:-mpiexec}" -n 4 "$work/groups" --quiet "--profile=$work/groups.json" >"$work/out" 2>"$work/err"; then ok; else
		bad "groups on hosts $hosts: does not run"
	fi
	has out '^wrong: 0'
	case $hosts in one | 0,0,1,1) crosses=0 ;; *) crosses=$((2 * 64 * 32 * 4)) ;; esac
	grep -q "\"kind\": \"all-reduce\".*\"between_hosts\": $crosses," "$work/groups.json" && ok ||
		bad "groups on hosts $hosts: not $crosses bytes between hosts: $(grep '"all-reduce"' "$work/groups.json")"
done
