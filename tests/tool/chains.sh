# chains.sh — programs that do the same very often in a row: written as one expression, as statements, as loops.
terms() { # COUNT TERM SEPARATOR
	awk -v n="$1" -v term="$2" -v between="$3" 'BEGIN { for (i = 1; i < n; i++) printf "%s%s", term, between; print term }'
}
chain() { # NAME VALUE DERIVATIVE BODY: of a function of x = 0.5
	cat >"$work/$1.pml" <<-END
		place p = ranks(0..1);
		fn f(x: f32 @ p) -> f32 @ p { $4 }
		main { let x = uniform(rng(1), [1])[0] * 0.0 + 0.5 to @p; print("value", f(x)); print("derivative", grad(f)(x)); }
	END
	taken 3 || return
	expect "chain $1" 0 "$PMLC" run "$TEST_LEVEL" "$work/$1.pml" -- --quiet
	has out "^value $2\$" "^derivative $3\$"
}
chain terms 5000 10000 "return $(terms 10000 x ' + ');"
chain factors 1 20000 "let y = 2.0 * x; return $(terms 10000 y ' * ');"
chain statements 5000 10000 "var s = x; $(terms 9999 's = s + x;' ' ') return s;"
chain dear 0.5 1 "var s = x; $(terms 1000 's = 0.5 * s + sin(x - x);' ' ') return s + x;"
chain nested 5000.5 10001 "var s = x; for i in 0..100 { for k in 0..100 { s = s + x; } } return s;"
chain there_and_back 0.5 1 "var s = x; $(terms 500 's = (s as f64) as f32;' ' ') return s;"
echo "main { let x = iota(1); print(($(terms 10000 x ' + ')) as f32 + 0.5); print($(terms 10000 1 ' + ')); print(\"$(terms 2 a b)\" + $(terms 3000 '"x"' ' + ') == \"\"); }" >"$work/numbers.pml"
expect "chains of numbers" 0 "$PMLC" run "$TEST_LEVEL" "$work/numbers.pml" -- --quiet
has out '^\[0.5\]$' '^10000$' '^false$'
expect "a long sum is printed" 0 "$PMLC" --emit=ast "$work/terms.pml"
has out 'x \+ x \+ x'
# Seconds of processor time: what is looked up for each of many params is looked up in a table.
expect "more params than there is room for" 1 sh -c 'ulimit -t 10; exec "$@"' sh "$PMLC" check "$here/../diag/lists_of_lists_without_end.pml"
