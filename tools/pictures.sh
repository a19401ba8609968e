#!/bin/sh
# pictures.sh DIR — draws each DIR/NAME.pml as DIR/NAME.svg from what `pmlc plan` says of it: a program with micro-batches as the
# order of its stages in time; any other as its transfers of matrices, before and behind, on each rank.
#   PMLC=build/pmlc tools/pictures.sh docs/pictures
: "${PMLC:=pmlc}"
dir=${1:?usage: pictures.sh DIR}

svg=$(cat "$(dirname "$0")/svg.awk")

# Rows of the chart under "micro-batches": `stage ranks forward backward [weights] held time`.
pipeline() {
	awk "$svg"'
		function one(c, x, w, y) {
			if (c == ".") { box(x, y, w, 26, "idle"); return }
			kind = c ~ /[a-z]/ ? "backward" : c ~ /[A-Z]/ ? "backward part" : "forward"
			two_pieces = two_pieces || kind == "backward part"
			box(x, y, w, 26, kind " stage")
			text(x + w / 2, y + 17, kind == "forward" ? c : index("abcdefghijklmnopqrstuvwxyz", tolower(c)) - 1, "middle", "")
		}
		/micro-batches, .* stages/ { title = $0; sub(/^region [^ ]* /, "", title); sub(/, [^,]* at once/, "", title); next }
		title != "" && / held  time / { at = index($0, "time (0"); next }
		at && substr($0, at) ~ /^[0-9a-zA-Z.]+ *$/ {
			time = substr($0, at)
			sub(/ +$/, "", time)
			name = $0
			sub(/^ */, "", name)
			sub(/  .*/, "", name)
			y = 40 + 34 * rows++
			text(128, y + 17, name, "end", "code")
			for (i = 1; i <= length(time); i = j) {
				c = substr(time, i, 1)
				for (j = i; substr(time, j, 1) == c; j++)
					;
				one(c, 140 + 18 * (i - 1), 18 * (j - i), y)
			}
			width = 140 + 18 * length(time) + 12
		}
		END {
			text(12, 22, title, "start", "")
			y = 52 + 34 * rows
			box(140, y, 18, 14, "forward"); text(164, y + 12, "forward pass of a micro-batch", "start", "small")
			box(340, y, 18, 14, "backward"); text(364, y + 12, "its backward pass", "start", "small")
			box(480, y, 18, 14, "idle"); text(504, y + 12, "the stage waits", "start", "small")
			if (two_pieces) { box(620, y, 18, 14, "backward part"); text(644, y + 12, "gradients of weights", "start", "small") }
			finish(width, y + 30, title)
		}' "$1"
}

# Placements as the compiler prints them, then the transfers of the plan, one a line.
layouts() {
	awk "$svg"'
		function field(key,    s) {
			s = $0
			if (!match(s, "\"" key "\": \"?")) return ""
			s = substr(s, RSTART + RLENGTH)
			sub(s ~ /^[0-9]/ ? ",.*" : "\".*", "", s)
			return s
		}
		function bytes(n) { return n + 0 < 1000 ? n " B" : sprintf("%.1f kB", n / 1000) }
		# Cuts [low[d], high[d]) into n parts and keeps part k; the first ones hold one more.
		function cut(d, k, n,    size, more) {
			size = int((high[d] - low[d]) / n)
			more = (high[d] - low[d]) % n
			low[d] += k * size + (k < more ? k : more)
			high[d] = low[d] + size + (k < more)
		}
		# What rank r of a placement holds: low, high; part where it is unfinished.
		function shard(r, place, layout,    a, k, atom) {
			low[0] = low[1] = part = 0
			high[0] = n
			high[1] = m
			for (a = naxes[place]; a >= 1; a--) { coordinate[a] = r % extent[place, a]; r = int(r / extent[place, a]) }
			for (a = 1; a <= naxes[place]; a++) {
				atom = layout
				if (layout ~ /^\(/) atom = match(layout, axis[place, a] "=[A-Z]") ? substr(layout, RSTART + length(axis[place, a]) + 1) : "B"
				if (atom ~ /^S/) cut(substr(atom, 3, 1) + 0, coordinate[a], extent[place, a])
				if (atom ~ /^P/) part = 1
			}
		}
		function held(x, y, where,    place, layout, r, i, j, grid, before) {
			place = where
			sub(/^@/, "", place)
			sub(/ :.*/, "", place)
			layout = where
			sub(/^[^:]*: /, "", layout)
			text(x, y - 8, layout, "start", "code")
			before[0] = -1
			for (r = 0; r < ranks[place]; r++) {
				shard(r, place, layout)
				box(x, y, 9 * m, 9 * n, "none")
				box(x + 9 * low[1], y + 9 * low[0], 9 * (high[1] - low[1]), 9 * (high[0] - low[0]), "r" r % 4 (part ? " part" : ""))
				grid = ""
				for (i = 1; i < n; i++) grid = grid sprintf("M%d %dh%d", x, y + 9 * i, 9 * m)
				for (j = 1; j < m; j++) grid = grid sprintf("M%d %dv%d", x + 9 * j, y, 9 * n)
				body = body "<path d=\"" grid "\" class=\"grid\"/>\n"
				box(x, y, 9 * m, 9 * n, "cut")
				text(x + 4.5 * m, y + 9 * n + 13, "rank " r, "middle", "small")
				if (part && low[0] == before[0] && low[1] == before[1]) text(x - 6, y + 4.5 * n + 4, "+", "middle", "")
				before[0] = low[0]
				before[1] = low[1]
				x += 9 * m + 12
			}
			return x
		}
		/^place / {
			name = $2
			s = $0
			sub(/.*ranks\(/, "", s)
			split(s, ends, /\.\.|\)/)
			ranks[name] = ends[2] - ends[1]
			naxes[name] = 1
			axis[name, 1] = ""
			extent[name, 1] = ranks[name]
			if (match($0, /as \(.*\)/)) {
				naxes[name] = split(substr($0, RSTART + 4, RLENGTH - 5), axes, /, /)
				for (a = 1; a <= naxes[name]; a++) {
					split(axes[a], two, / = /)
					axis[name, a] = two[1]
					extent[name, a] = two[2]
				}
			}
		}
		/"id":/ && field("type") ~ /\[[0-9]+, [0-9]+\]$/ {
			type = field("type")
			sub(/.*\[/, "", type)
			split(type, size, /[^0-9]+/)
			n = size[1]
			m = size[2]
			y = 40 + (9 * n + 62) * count++
			from = held(12, y, field("from"))
			body = body sprintf("<path d=\"M%d %d h130 m-8 -5 l8 5 l-8 5\" class=\"line\"/>\n", from + 8, y + 4.5 * n)
			text(from + 70, y + 4.5 * n - 10, field("kind"), "middle", "")
			text(from + 70, y + 4.5 * n + 18, "a rank sends " bytes(field("bytes_per_rank")), "middle", "small")
			width = held(from + 152, y, field("to"))
		}
		END { finish(width, 40 + (9 * n + 62) * count - 24, "what ranks hold before and behind a transfer") }' "$1"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$dir"/*.pml; do
	name=$(basename "$file" .pml)
	(cd "$dir" && "$PMLC" plan "$name.pml") >"$work/plan" || exit 1
	(cd "$dir" && "$PMLC" --emit=ast "$name.pml" | grep '^place ' && "$PMLC" plan --json "$name.pml") >"$work/transfers" || exit 1
	if grep -q 'micro-batches, ' "$work/plan"; then pipeline "$work/plan"; else layouts "$work/transfers"; fi >"$dir/$name.svg" || exit 1
done
