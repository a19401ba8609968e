# generate.awk — writes a PML program of many redistributions, each on its line, and a table of what each should cost.
#   awk -v part=0 -v parts=1 -v combos="f32:8x12 i32:5x7" -v layouts="S0 S1 B sum max" -v table=FILE -f generate.awk
# Every pair of placements and layouts is made for one of the combos (element type and shape) in turn (rotate=1) or for all of
# them; of the cases so counted the program has every parts-th, beginning with `part`. Values are small integers: every order of summation gives the
# same bits. A case is checked on all ranks of its destination, by what it gives when it is finished.
# Table: line, placements, how they lie to each other, source and destination layout, element type and shape, least and most
# bytes by index sets (mostly equal), bytes by the table of docs/layouts.md (-1: it does not list the case).

function place_text(p,   i, s) {
	s = members[p, 0]
	for (i = 1; i < ranks[p]; i++)
		s = s ", " members[p, i]
	return "ranks([" s "])"
}
function add_place(name, list,   n, i, r) {
	places[++nplaces] = name
	ranks[name] = n = split(list, r, " ")
	for (i = 1; i <= n; i++) {
		members[name, i - 1] = r[i]
		position[name, r[i]] = i
	}
}
function has(p, r) { return (p, r) in position }
# S0u, S1u: split in unequal shares, one of them 0 where there are more than two ranks; S0f, S0l and S0m as slices leave them:
# nothing on the first rank, on the last, or on all but one in the middle. On one rank it has all.
function share(p, l, r,   k) {
	k = ranks[p]
	if (k == 1) return 1
	if (l ~ /f$/) return r
	if (l ~ /l$/) return k - 1 - r
	if (l ~ /m$/) return r == int(k / 2)
	return r == 0 ? 2 : r == 1 ? 3 : r == 2 ? 0 : 1
}
function shares(p, l,   r, s) {
	for (r = 0; r < ranks[p]; r++)
		s = s (r ? ", " : "") share(p, l, r)
	return ", shares = [" s "]"
}
function layout_text(l, p) {
	return l == "B" ? "B" : l ~ /^S/ ? "S(" substr(l, 2, 1) (l ~ /[uflm]$/ ? shares(p, l) : "") ")" : "P(" l ")"
}
function is_part(l) { return l !~ /^[SB]/ }

# ---- what a rank holds, in elements of its shard of dims[1] x dims[2] ----
function first(n, k, r) { return r * int(n / k) + (r < n % k ? r : n % k) }
function first_of(p, l, n, r,   i, before, all) {
	if (l !~ /^S.[uflm]$/) return first(n, ranks[p], r)
	for (i = 0; i < ranks[p]; i++) {
		before += i < r ? share(p, l, i) : 0
		all += share(p, l, i)
	}
	return int(n * before / all)
}
function box(p, l, r,   i) { # sets b0..b1 rows, c0..c1 columns
	i = position[p, r] - 1
	b0 = c0 = 0; b1 = rows; c1 = columns
	if (l ~ /^S0/) { b0 = first_of(p, l, rows, i); b1 = first_of(p, l, rows, i + 1) }
	if (l ~ /^S1/) { c0 = first_of(p, l, columns, i); c1 = first_of(p, l, columns, i + 1) }
}
# Elements that ranks of the destination lack: no plan can send fewer.
function lacking(p, l, q, m,   r, n, x0, x1, y0, y1, u, v) {
	n = 0
	for (r = 0; r < NRANKS; r++) {
		if (!has(q, r)) continue
		box(q, m, r); x0 = b0; x1 = b1; y0 = c0; y1 = c1
		n += (x1 - x0) * (y1 - y0)
		if (!has(p, r)) continue
		box(p, l, r)
		u = (x1 < b1 ? x1 : b1) - (x0 > b0 ? x0 : b0)
		v = (y1 < c1 ? y1 : c1) - (y0 > c0 ? y0 : c0)
		if (u > 0 && v > 0) n -= u * v
	}
	return n
}
# Elements sent, by index sets. Parts of a sum that lie where they are added up need not travel, so ranks that source and
# destination have in common save what they hold: with none in common these are the forms for disjoint placements, with all
# in common those for one placement. Where a sum is added up in shares on ranks that only partly hold parts of it, balance
# may cost more bytes than the least: sets `most`.
function closed(p, l, q, m,   t, k, j, r, common, n) {
	t = rows * columns; k = ranks[p]; j = ranks[q]
	for (r = 0; r < NRANKS; r++)
		common += has(p, r) && has(q, r)
	if (!is_part(l)) return is_part(m) ? lacking_once(p, l, q) : lacking(p, l, q, m)
	if (m == "B") { most = common < j ? (k + j - 1) * t : 0; return (k + j - 1 - (common > 0)) * t }
	if (m == l || (is_part(m) && k == 1)) return (k - common) * t
	if (is_part(m)) { most = common < j ? k * t : 0; return (k - (common > 0)) * t }
	for (r = 0; r < NRANKS; r++)
		if (has(q, r)) {
			box(q, m, r)
			n += (b1 - b0) * (c1 - c0) * (k - has(p, r))
		}
	return n
}
# What becomes a part travels once, or not at all where it lies on a rank of the destination already.
function lacking_once(p, l, q,   r, n, here) {
	for (r = 0; r < NRANKS; r++) {
		if (!has(p, r)) continue
		box(p, l, r)
		if (l == "B") { n = rows * columns; here = here || has(q, r) }
		else if (!has(q, r)) n += (b1 - b0) * (c1 - c0)
	}
	return l == "B" && here ? 0 : n
}
# The same from the table of docs/layouts.md, for one placement and for disjoint ones; -1 for others.
function listed(relation, p, l, q, m,   t, k, j) {
	t = rows * columns; k = ranks[p]; j = ranks[q]
	if (relation == "same") {
		if (l == m || l == "B" || (is_part(m) && !is_part(l))) return 0
		if (m == "B") return (is_part(l) ? 2 : 1) * (k - 1) * t
		if (is_part(l)) return (k - 1) * t
		return rows % k || columns % k || length(l m) > 4 ? -1 : (k - 1) * t / k
	}
	if (relation != "disjoint") return -1
	if (!is_part(l)) return m == "B" ? j * t : t
	return m == "B" ? (k + j - 1) * t : k * t
}
function relation_of(p, q,   i, common) {
	common = 0
	for (i = 0; i < ranks[p]; i++)
		if (has(q, members[p, i])) common++
	if (!common) return "disjoint"
	if (common < ranks[p] || common < ranks[q]) return "overlapping"
	for (i = 0; i < ranks[p]; i++)
		if (members[p, i] != members[q, i]) return "permuted"
	return "same"
}

# ---- PML ----
function emit(s) { print s; line++ }
function id(combo) { gsub(/[:]/, "_", combo); return combo }
function draw(key, shape, dtype,   u) {
	u = "uniform(rng(" key "), [" shape "])"
	if (dtype == "bool") return u " < 0.5"
	return "floor(" u " * 7.0) as " dtype
}
function draw_factor(key, shape, dtype,   u) { # products of these stay exact
	u = "uniform(rng(" key "), [" shape "])"
	if (dtype == "bool") return u " < 0.9"
	return "(1.0 + floor(" u " * 2.0)) as " dtype
}
# The value of a source in layout l, however it is laid out, on no rank in particular.
function value(l, shape, dtype) {
	if (l == "prod") return "prod_along(" draw_factor(3, shape ", 5", dtype) ")"
	if (l == "sum" && dtype == "bool") return "max_along(" draw(2, shape ", 5", dtype) ")"
	if (l == "max" && dtype == "bool") return "max_along(" draw(2, shape ", 5", dtype) ")"
	if (l == "min" && dtype == "bool") return "min_along(" draw_factor(3, shape ", 5", dtype) ")"
	if (is_part(l)) return l "_along(" draw(2, shape ", 5", dtype) ")"
	return draw(1, shape, dtype)
}
BEGIN {
	NRANKS = 4
	add_place("a", "0 1"); add_place("b", "2 3"); add_place("c", "1 2 3")
	add_place("w", "0 1 2 3"); add_place("v", "2 0 3 1"); add_place("one", "3")
	ncombos = split(combos, combo, " ")
	nlayouts = split(layouts, layout, " ")
	size["f32"] = 4; size["f64"] = 8; size["i32"] = 4; size["u8"] = 1; size["bool"] = 1

	# which cases
	for (i = 1; i <= nplaces; i++)
		for (j = 1; j <= nplaces; j++)
			for (x = 1; x <= nlayouts; x++)
				for (y = 1; y <= nlayouts; y++)
					for (z = 1; z <= ncombos; z++) {
						if (rotate && z != 1) continue
						number++
						if (number % parts != part) continue
						k = rotate ? (i + 2 * j + 3 * x + y + number) % ncombos + 1 : z
						split(combo[k], f, ":")
						if (f[1] == "bool" && (layout[x] ~ /^(sum|prod)$/ || layout[y] ~ /^(sum|prod)$/)) {
							if (!rotate) continue
							k = k % ncombos + 1 # bools have no sum; another element type takes its turn
							split(combo[k], f, ":")
						}
						cases++
						case_p[cases] = places[i]; case_q[cases] = places[j]
						case_l[cases] = layout[x]; case_m[cases] = layout[y]; case_k[cases] = combo[k]
						source[places[i], layout[x], combo[k]] = 1
						expected[places[j], is_part(layout[x]) ? layout[x] : "V", combo[k]] = 1
					}

	emit("// " cases " redistributions, one a line.")
	for (i = 1; i <= nplaces; i++)
		emit("place " places[i] " = " place_text(places[i]) ";")
	for (key in source) {
		split(key, f, SUBSEP); split(f[3], g, ":"); shape = g[2]; sub(/x/, ", ", shape)
		name[key] = "s_" f[1] "_" f[2] "_" id(f[3])
		extra = is_part(f[2]) ? ", 5" : ""
		at = is_part(f[2]) ? "S(2)" : layout_text(f[2], f[1])
		emit("state " name[key] " : " g[1] "[" shape extra "] @ " f[1] " : " at " = zeros();")
	}
	for (key in expected) {
		split(key, f, SUBSEP); split(f[3], g, ":"); shape = g[2]; sub(/x/, ", ", shape)
		wanted[key] = "e_" f[1] "_" f[2] "_" id(f[3])
		emit("state " wanted[key] " : " g[1] "[" shape "] @ " f[1] " = zeros();")
	}
	emit("main {")
	for (key in source) {
		split(key, f, SUBSEP); split(f[3], g, ":"); shape = g[2]; sub(/x/, ", ", shape)
		factor = f[2] == "prod" || (f[2] == "min" && g[1] == "bool")
		if (is_part(f[2])) text = factor ? draw_factor(3, shape ", 5", g[1]) : draw(2, shape ", 5", g[1])
		else text = draw(1, shape, g[1])
		emit("\t" name[key] " = " text ";")
	}
	for (key in expected) {
		split(key, f, SUBSEP); split(f[3], g, ":"); shape = g[2]; sub(/x/, ", ", shape)
		emit("\t" wanted[key] " = " value(f[2] == "V" ? "B" : f[2], shape, g[1]) ";")
	}
	for (i = 1; i <= cases; i++) {
		p = case_p[i]; q = case_q[i]; l = case_l[i]; m = case_m[i]; k = case_k[i]
		key = p SUBSEP l SUBSEP k
		if (!is_part(l) || key in made) continue
		split(k, g, ":")
		along = g[1] == "bool" ? (l == "min" ? "min" : "max") : l
		emit("\tlet p_" name[key] " = " along "_along(" name[key] ");")
		made[key] = 1
	}
	for (i = 1; i <= cases; i++) {
		p = case_p[i]; q = case_q[i]; l = case_l[i]; m = case_m[i]; k = case_k[i]
		split(k, g, ":"); split(g[2], d, "x"); rows = d[1]; columns = d[2]
		key = p SUBSEP l SUBSEP k
		emit("\tlet d" i " = " (is_part(l) ? "p_" : "") name[key] " to @" q " : " layout_text(m, q) ";")
		relation = relation_of(p, q)
		n = listed(relation, p, l, q, m)
		most = 0
		least = closed(p, l, q, m)
		if (most < least) most = least
		print line, p "->" q, relation, l, m, k, least * size[g[1]], most * size[g[1]], n < 0 ? -1 : n * size[g[1]] >table
	}
	# A tensor that is printed ends a region: else the movement to be measured and the one that finishes its result would
	# become one.
	emit("\tprint(\"moved\", sum(" wanted[q SUBSEP (is_part(l) ? l : "V") SUBSEP k] "));")
	for (j = 1; j <= nplaces; j++) {
		q = places[j]; any = 0
		for (i = 1; i <= cases; i++) {
			if (case_q[i] != q) continue
			l = case_l[i]; k = case_k[i]
			test = "sum((d" i " to B) != " wanted[q SUBSEP (is_part(l) ? l : "V") SUBSEP k] ")"
			emit(any ? "\tbad_" q " += " test ";" : "\tvar bad_" q " = " test ";")
			any = 1
		}
		if (any) emit("\tprint(\"" q "\", bad_" q ");")
	}
	emit("}")
}
