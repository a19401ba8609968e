# reach.sh — splits reach back: what all ranks together compute of a value that ends in shares is what one rank would compute of it, with no byte moved for that.
cat >"$work/reach.pml" <<'END'
const N : int = 1;
const A : int = 1;
place p = ranks(0..N) as (a = A, b = N / A);
param x : f32[2, 8, 32, 32] @ p : B = normal();
param y : f32[2, 8, 32, 32] @ p : (a=S(0), b=B) = normal();
param w : f32[8, 8, 3, 3] @ p : B = normal();
param m : f32[32, 16] @ p : B = normal();
op around(u[a, b, i, j]) -> [a, b, i, j] = u[a, b, (i - 1)?, j] + u[a, b, (i + 1)?, j] - 2.0 * u[a, b, i, j];
op within(u[a, b, i, j], c[k]) -> [a, b, i, j] = sum[k] u[a, b, i + k - 2, j] * c[k];
END
work_of() { # NAME PROGRAM OPTION...: operations of a step in all, and bytes but those of sums for the host
	cp "$work/reach.pml" "$work/reached.pml"
	echo "main { $2 }" >>"$work/reached.pml"
	of=$1
	shift 2
	expect "the plan of $of $*" 0 "$PMLC" plan --json "$@" "$work/reached.pml"
	all=$(sed -n 's/.*"step": {"flops": \([0-9]*\), "all": {[^}]*"bytes": \([0-9]*\)}.*/\1 \2/p' "$work/out")
}
# At most MORE hundredths more than one rank, and the bytes of the sum that is printed.
reaches() { # NAME PROGRAM [MORE]
	work_of "$1" "$2"
	one=${all% *}
	case $2 in *a=S*) meshes="-D N=2;-D N=4 -D A=2;-D N=4 -D A=4" ;; *) meshes="-D N=2;-D N=4" ;; esac
	while [ "$meshes" ]; do
		mesh=${meshes%%;*}
		case $meshes in *\;*) meshes=${meshes#*;} ;; *) meshes= ;; esac
		# shellcheck disable=SC2086
		work_of "$1" "$2" $mesh
		[ "${all% *}" -le $((one * (100 + ${3:-0}) / 100)) ] && ok || bad "$1 $mesh: ${all% *} operations, one rank has $one"
		[ "${all#* }" -le 24 ] && ok || bad "$1 $mesh: ${all#* } bytes"
	done
}
ends() { # NAME EXPRESSION LAYOUT [MORE]
	reaches "$1" "print(sum(($2) to $3) to B);" "${4:-0}"
}
for row in $(share 4 0 1 2 3); do
	case $row in
	0)
		ends "a convolution" "conv2d(x, w, pad = 1)" "(b=S(2))"
		ends "a convolution with strides and a function behind" "relu(conv2d(x, w, stride = 2, pad = 1))" "(b=S(2))"
		ends "a convolution of what is split already" "conv2d(y, w, pad = 1)" "(a=S(0), b=S(2))"
		;;
	1)
		ends "a pool" "max_pool2d(x, size = 3, stride = 1, pad = 1)" "(b=S(2))"
		ends "a pool of a function" "avg_pool2d(tanh(x))" "(b=S(2))"
		ends "a product" "x @ m" "(b=S(2))"
		ends "a product in columns" "tanh(x @ m)" "(a=S(3), b=S(2))"
		;;
	2)
		ends "a roll" "roll(x, 1, dim = 2)" "(b=S(2))"
		ends "what is put together" "concat([x, x], dim = 2)" "(b=S(2))"
		ends "what is padded" "pad(x, before = 2, after = 1, dim = 2)" "(b=S(2))" 4
		ends "what is turned round" "flip(x, dim = 2)" "(b=S(2))"
		;;
	3)
		ends "a stencil" "around(x)" "(a=S(0), b=S(2))"
		ends "a sum over a window" "within(x, ones([5]))" "(b=S(2))"
		ends "a softmax" "softmax(x)" "(b=S(2))"
		ends "means of rows" "mean(x, dim = 3)" "(b=S(2))"
		;;
	esac
done
# Two who take it split alike, and who takes rows of that; a slot that is split. If somebody wants all of it, or shares of other rows, it is computed whole.
reaches "two readers" "let t = around(x); print(sum(t to (b=S(2))) + sum(exp(t) to (b=S(2))) to B);" 1
work_of "two readers" "let t = conv2d(x, w); print(sum(t to (b=S(2))) + sum(t to (b=S(1))) to B);" -D N=2
both=${all% *}
work_of "two readers" "let t = conv2d(x, w); print(sum(t to (b=S(2))) + sum(t to (b=S(1))) to B);"
[ "$both" -ge $((${all% *} * 19 / 10)) ] && ok || bad "shares of rows and of channels are both from half of a value"
# Rows that several ranks have parts of are added up as before; the split of their sum reaches back no further.
echo 'state t : f32[64, 8] @ p : (b=S(0)) = normal(); state i : i32[32] @ p = ((iota(32) * 7) % 64) as i32;' >>"$work/reach.pml"
work_of "rows from their owners" "print(sum(embed(t, i) to (b=S(0))) to B);" -D N=2
is "bytes of rows from their owners" $((32 * 32 + 8)) "${all#* }"
