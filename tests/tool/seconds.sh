# seconds.sh — `pmlc plan --machine`: on machines where nothing takes time but what is looked at, times are those of closed forms.

. "$here/machine.sh"
machine near 1 64 1 1e6
machine far 32 2 1 1e6
machine slow 1 2 0 0.001
machine overlapping 1 2 1 0.001

# takes NAME MACHINE NS PROGRAM...: the ns of a step, or up to 20 and a 100,000th more for what has to take some time.
takes() {
	name=$1 on=$2 ns=$3
	shift 3
	printf '%s\n' "$@" >"$work/timed.pml"
	expect "$name" 0 "$PMLC" plan --json --machine="$work/$on.json" "$work/timed.pml"
	lacks err .
	got=$(sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p' "$work/out")
	if [ -n "$got" ] && [ "$got" -ge "$ns" ] && [ "$got" -le $((ns + ns / 100000 + 20)) ]; then ok; else bad "$name: ${got:-no} ns, not $ns"; fi
}
a='place a = ranks(0..1);' b='place b = ranks(1..2);' all='place all = ranks(0..2);'
x='param x : f32[250000] @ a = ones();' y='param y : f32[250000] @ b = ones();'
# A message of a megabyte: its latency and its bytes.
takes "a message" near 1100000 "$a" "$b" "$x" "$y" 'main { for i in 0..9 { y = x to @b; } }'
# There and back.
takes "a message and an answer" near 1200004 "$a" "$b" "$x" "$y" 'param z : f32[1] @ a = ones();' \
	'main { for i in 0..9 { y = x to @b; z = y[0..1] to @a; } }'
# Two rounds of halves.
w='param w : f32[2, 250000] @ all : S(0) = ones(); param s : f32[250000] @ all : B = ones();'
takes "an all-reduce of two" near 1200000 "$all" "$w" 'main { for i in 0..9 { s = sum(w, dim = 0) to B; } }'
# Two ranks of a host send to another host: they share its link, within a host they do not.
four='place c = ranks(0..2); place d = ranks(2..4); param u : f32[500000] @ c : S(0) = ones(); param v : f32[500000] @ d : S(0) = ones();'
takes "two messages within a host" near 1100000 "$four" 'main { for i in 0..9 { v = u to @d : S(0); } }'
takes "two messages over one link" far 2100000 "$four" 'main { for i in 0..9 { v = u to @d : S(0); } }'
# Computing 250 ms beside a message: 250 turns of a kernel with five operations (two loads, a product, a sum, a store) on 200 elements, 1 a microsecond;
# and 200 elements copied twice, with a load and a store each.
k='param k : f32[200] @ all : B = ones(); fn long(z) { var u = z; for i in 0..250 { u = u * 0.5 + z; } return u; }'
takes "computing beside a message that takes no processor" overlapping 250800000 "$a" "$b" "$all" "$x" "$y" "$k" \
	'main { for i in 0..9 { y = x to @b; k = long(k); } }'
takes "computing beside a message that takes the processor" slow 251800000 "$a" "$b" "$all" "$x" "$y" "$k" \
	'main { for i in 0..9 { y = x to @b; k = long(k); } }'
# A product of 2 m n k flops at two a nanosecond.
takes "a product" near 2097152 "$all" 'param p : f32[128, 128] @ all : B = ones(); param q : f32[128, 128] @ all : B = ones();' \
	'main { for i in 0..9 { q = p @ q; } }'

# Now and then: one in so many, half of the steps for each side, a quarter within; what a search looks at is the same step.
takes "branches" near 3145728 "$all" 'param p : f32[128, 128] @ all : B = ones(); param q : f32[128, 128] @ all : B = ones();' \
	'main { var x = 1.0; for i in 0..9 { every 4 { q = p @ q; } if x > 0.0 { q = p @ q; } else { p = p @ q; } if x > 2.0 { if x > 3.0 { } else { q = q @ p; } } x = x + 1.0; } }'

# A thousand million turns of a kernel of 1 ms.
takes "loops in loops of many turns" slow 1000000000000000 "$all" "$k" \
	'fn most(z) { var u = z; for i in 0..1000 { for j in 0..1000 { for h in 0..1000 { u = u * 0.5 + z; } } } return u; }' \
	'main { for i in 0..9 { k = most(k); } }'
takes "a product" near 2097152 "$all" 'param p : f32[128, 128] @ all : B = ones(); param q : f32[128, 128] @ all : B = ones();' \
	'main { for i in 0..9 { q = p @ q; } }'

# By line, and the whole again: the same bytes.
expect "plan with times" 0 "$PMLC" plan --machine="$work/near.json" "$work/timed.pml"
has out 'time on `near`, predicted' '^  main:3 +2.10 ms +2.10 ms +0 ns +0 ns +0.0 %  each step$' '^  step: 2.10 ms in all$' \
	'timed.pml:3 +product 128 x 128 x 128 +2.10 ms +0 ns +0 ns +2.10 ms +0 ns +main:3$'
cp "$work/out" "$work/first"
expect "plan with times again" 0 "$PMLC" plan --machine="$work/near.json" "$work/timed.pml"
if cmp -s "$work/first" "$work/out"; then ok; else bad "two plans with times differ"; fi

# Plans stored with times are compared in seconds.
sed 's/128/64/g' "$work/timed.pml" >"$work/smaller.pml"
for f in timed smaller; do "$PMLC" plan --json --machine="$work/near.json" "$work/$f.pml" >"$work/$f.json"; done
expect "times compared" 0 "$PMLC" plan --diff "$work/timed.json" "$work/smaller.json"
has out '^step: time +2.10 ms +-> +262 us +-87.5 %$'
expect "times compared, from sources" 0 "$PMLC" plan --diff --machine="$work/near.json" "$work/timed.pml" "$work/smaller.pml"
has out '^step: time +2.10 ms +-> +262 us +-87.5 %$'

# What cannot be.
expect "a machine that is not there" 1 "$PMLC" plan --machine="$work/none.json" "$work/timed.pml"
has err 'none.json.*No such file'
echo '{"name": "x"}' >"$work/bad.json"
expect "a machine without hosts" 1 "$PMLC" plan --machine="$work/bad.json" "$work/timed.pml"
has err '^pmlc: .*bad.json: processors is missing: a list: the classes of processors$'
printf 'place many = ranks(0..100);\nmain { print(sum(ones([400]) to @many : S(0)) to B); }\n' >"$work/many.pml"
expect "more ranks than the machine has" 1 "$PMLC" plan --machine="$work/near.json" "$work/many.pml"
has err '^pmlc: .*near.json: the machine has 64 ranks, and the program 100$'
sed 's/f32/f64/' "$work/timed.pml" | sed 's/f32/f64/' >"$work/wide.pml"
sed -i 's/ones()/ones(dtype = f64)/g' "$work/wide.pml"
expect "products that the machine has no rates of" 1 "$PMLC" plan --machine="$work/near.json" "$work/wide.pml"
has err '^pmlc: .*near.json: processor `p` has no rates of products of f64$'
expect "--machine is for plan" 2 "$PMLC" check --machine="$work/near.json" "$work/timed.pml"
has err '^pmlc: --machine is an option of `pmlc plan`$'

# The machines of the docs, with as many ranks as they have.
for m in workstation:8 ethernet:128 unlike:12 cluster:1024; do
	printf 'place all = ranks(0..%s);\nparam p : f32[4096, 64] @ all : S(0) = ones();\nmain { for i in 0..9 { print(sum(exp(p)) to B); } }\n' \
		"${m#*:}" >"$work/large.pml"
	expect "a plan on ${m%:*}" 0 "$PMLC" plan --machine="$here/../../examples/machines/${m%:*}.json" "$work/large.pml"
	has out "^large: ${m#*:} ranks" '^  step: [0-9.]+ [um]?s in all$'
done
# Rows of 7 images by 7 are shared out in 4 and 3, and their 49 elements, which gradients of a norm by groups are made of, in 28 and 21.
printf '%s\n' 'import std.nn;' "$all" 'param k : f32[4, 2, 3, 3] @ all = nn.he(); param s : f32[4] @ all = ones(); param b : f32[4] @ all = zeros();' \
	'fn loss(x: f32[6, 2, 7, 7]) { return mean(square(nn.conv_block(x, k, s, b, groups = 2))) to B; }' \
	'main { let x = uniform(rng(1), [6, 2, 7, 7]) to @all : S(0); for i in 0..3 { let (l, g) = value_and_grad(loss)(x); k -= 0.01 * g.k; } }' >"$work/uneven.pml"
expect "gradients in unequal shares" 0 "$PMLC" plan --machine="$work/near.json" "$work/uneven.pml"
