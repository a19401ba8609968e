#!/bin/sh
# structure.sh BUILD_DIR [FOLDER] — which folder of the sources calls which, read off the objects of a build: a picture on standard output, from
# the folder that calls all others down to those that call none. With FOLDER (compiler/elaborate, say) of the folders in it.
# A folder that is in a circle with others ends it with status 1 and their names. What stands in generated/ is lang's.
build=${1:?usage: structure.sh BUILD_DIR [FOLDER]}
inside=${2:-}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$build" || exit 2
# Objects of files that are gone or were moved stay in a folder that is built in again.
objects() {
	find lang compiler backend driver generated -name '*.o' | LC_ALL=C sort | while read -r o; do
		c=$(echo "${o%.o}.c" | sed 's|/[a-z_]*-|/|')
		[ ! -f "$root/$c" ] && [ ! -f "$c" ] || echo "$o"
	done
}
objects | xargs nm -A -P | awk "$(cat "$root/tools/svg.awk")"'
	function folder(file,    part, n) {
		sub(/^generated/, "lang", file)
		n = split(file, part, "/")
		if (inside != "") {
			if (index(file, inside "/") != 1) return ""
			file = substr(file, length(inside) + 2)
			return split(file, part, "/") > 1 ? part[1] : "."
		}
		if (part[1] == "backend" || part[1] == "driver" || n == 2) return part[1]
		return part[1] "/" part[2]
	}
	# file.o: name type ...
	{
		file = $1
		sub(/:$/, "", file)
		sub(/\[.*/, "", file)
		from = folder(file)
		if (from == "" || $3 ~ /[tdbra]/ && $3 != "U") next
		if (!(from in known)) { known[from] = 1; name[++n] = from }
		if ($3 == "U") { asks[from, $2] = from; wanted[++nwanted] = from SUBSEP $2 }
		else home[$2] = from
	}
	function reaches(a, b,    c) {
		if ((a, b) in reach) return reach[a, b]
		reach[a, b] = 0
		for (c = 1; c <= n; c++)
			if (calls[a, name[c]] && (name[c] == b || reaches(name[c], b))) { reach[a, b] = 1; break }
		return reach[a, b]
	}
	function level(a,    c, l, most) {
		if (a in levels) return levels[a]
		levels[a] = 0
		for (c = 1; c <= n; c++)
			if (calls[a, name[c]]) { l = level(name[c]) + 1; if (l > most) most = l }
		levels[a] = most + 0
		return levels[a]
	}
	END {
		for (i = 1; i <= nwanted; i++) {
			split(wanted[i], w, SUBSEP)
			if ((w[2] in home) && home[w[2]] != w[1]) { calls[w[1], home[w[2]]] = 1; example[w[1], home[w[2]]] = w[2] }
		}
		for (i = 1; i <= n; i++)
			for (j = 1; j <= n; j++)
				if (i != j && calls[name[i], name[j]] && reaches(name[j], name[i])) {
					printf "%s calls %s (%s), which comes back to it\n", name[i], name[j], example[name[i], name[j]] >"/dev/stderr"
					circle = 1
				}
		if (circle) exit 1
		for (i = 1; i <= n; i++) { l = level(name[i]); row[l, ++size[l]] = name[i]; if (l > top) top = l }
		# Within a level in the order of where their callers stand.
		for (l = top; l >= 0; l--) {
			for (k = 1; k <= size[l]; k++) {
				a = row[l, k]
				sum = users = 0
				for (i = 1; i <= n; i++) if (calls[name[i], a]) { sum += place[name[i]]; users++ }
				weight[a] = users ? sum / users : 0
			}
			for (k = 2; k <= size[l]; k++)
				for (m = k; m > 1 && weight[row[l, m]] < weight[row[l, m - 1]]; m--) { a = row[l, m]; row[l, m] = row[l, m - 1]; row[l, m - 1] = a }
			width = 0
			for (k = 1; k <= size[l]; k++) width += 8 * length(row[l, k]) + 16 + 24
			x = 450 - width / 2
			for (k = 1; k <= size[l]; k++) {
				a = row[l, k]
				wide[a] = 8 * length(a) + 16
				left[a] = x
				place[a] = x + wide[a] / 2
				y[a] = 16 + 58 * (top - l)
				x += wide[a] + 24
			}
		}
		# A line where no other way leads there.
		for (i = 1; i <= n; i++)
			for (j = 1; j <= n; j++) {
				if (!calls[name[i], name[j]]) continue
				for (k = 1; k <= n; k++)
					if (k != j && calls[name[i], name[k]] && reaches(name[k], name[j])) break
				if (k > n) line(place[name[i]], y[name[i]] + 26, place[name[j]], y[name[j]])
			}
		for (i = 1; i <= n; i++) {
			a = name[i]
			box(left[a], y[a], wide[a], 26, "forward")
			text(place[a], y[a] + 17, a, "middle", "code")
		}
		finish(900, 16 + 58 * top + 42, "which folder calls which")
	}' inside="$inside" -
