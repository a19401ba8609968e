# lists.sh — lists of params are one tensor: what a program has of them does not grow with their length.
cat >"$work/lists.pml" <<'EOF'
import std.optim;
const L : int = 3;
place p = ranks(0..1);
struct Layer[q: place] { w : f32[4, 4] @ q = normal(std = 0.5), b : f32[4] @ q = zeros() }
param layers : [L] Layer[p];
fn net(x: f32[2, 4]) -> f32 @ p {
    var h = x to @p;
    for i in 0..L { h = tanh(h @ layers[i].w + layers[i].b); }
    return sum(h * h);
}
fn smoothed(g: gradient) {
    each (q, d) in g {
        state mean : like d = zeros();
        mean = 0.5 * mean + d;
        var u = mean;
        for k in 0..2 { u = tanh(u) + 0.1 * sum(u); }
        q = 0.9 * q + u;
    }
}
main {
    for step in 0..2 {
        let g = grad(net)(ones([2, 4], f32));
        optim.adamw(optim.clip_norm(g, 1.0), lr = 0.1, decays = optim.matrices);
        smoothed(grad(net)(ones([2, 4], f32)));
    }
    print(layers[1].b);
}
EOF

# The regions of a step, as a stage has them for so many layers.
step_of() {
	"$PMLC" --emit=$1 -D L=$2 "$work/lists.pml" 2>"$work/err" | sed -n '/^region 1 /,/^region 3 /p'
}

for stage in logical graph layout plan; do
	few=$(step_of $stage 3 | wc -l) many=$(step_of $stage 30 | wc -l)
	if [ "$few" -gt 20 ] && [ "$few" -eq "$many" ]; then
		ok
	else
		bad "$stage of lists: $few lines for 3 layers, $many for 30"
	fi
done

# Turns that read a line of a slot and leave one write over it: nothing is made elsewhere and copied into a slot.
step_of plan 3 >"$work/out"
into=$(awk '/^arena/ { delete slot } /^  b[0-9]+: .* slot / { slot[substr($1, 1, length($1) - 1)] = 1 } $2 == "copy" && $5 in slot' "$work/out")
if grep -q "next turn of step" "$work/out" && [ -z "$into" ]; then
	ok
else
	bad "lists are copied: $into"
fi

# First values have keys of their own, which are numbers in a table: code does not grow either.
code_of() { "$PMLC" --emit=llvm-ir -D L="$1" "$work/lists.pml" 2>"$work/err" | sed -n '/^define .*@host\.init/,/^}/p' | wc -l; }
few=$(code_of 16) many=$(code_of 80)
if [ "$few" -gt 10 ] && [ "$few" -eq "$many" ]; then ok; else bad "code of first values: $few lines for 16 layers, $many for 80"; fi
