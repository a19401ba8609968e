# check.awk — compares what the runtime counted with what was planned and with the closed forms.
#   awk -f check.awk TABLE PLAN.json PROFILE.json       prints a line per difference and "N pairs, M wrong, …" at the end
function field(name,   s) {
	if (!match($0, "\"" name "\": *[^,}]*")) return ""
	s = substr($0, RSTART, RLENGTH)
	sub(/^"[^"]*": */, "", s)
	gsub(/"/, "", s)
	return s
}
function wrong(text) { print "line " line ": " what[line] ": " text; bad[line] = 1 }
function differs(text) { print "line " line ": transfer " id " (" kind[id] "): " text; bad_transfers++ }
FNR == 1 { file++ }
file == 1 { what[$1] = $2 " " $4 " -> " $5 " " $6 " (" $3 ")"; least[$1] = $7; most[$1] = $8; listed[$1] = $9; next }
file == 2 && /^ *{"id":/ {
	id = field("id")
	planned[id] = field("bytes"); planned_rank[id] = field("bytes_per_rank")
	planned_line[id] = field("line"); kind[id] = field("kind")
}
file == 3 && /^ *{"id":/ {
	id = field("id"); line = planned_line[id]
	transfers++
	if (field("bytes") != planned[id]) differs("counted " field("bytes") " bytes, planned " planned[id])
	if (field("bytes_per_rank") != planned_rank[id])
		differs("counted " field("bytes_per_rank") " bytes of one rank, planned " planned_rank[id])
	if (field("calls") != 1) differs("ran " field("calls") " times")
	if (line in what) { sent[line] += field("bytes"); moved[line]++ }
}
END {
	for (line in what) {
		pairs++
		if (moved[line] > 1) wrong("more than one transfer")
		if (sent[line] + 0 < least[line] || sent[line] + 0 > most[line])
			wrong("sends " sent[line] + 0 " bytes, index sets say " least[line] (most[line] > least[line] ? " to " most[line] : ""))
		if (listed[line] >= 0 && sent[line] + 0 != listed[line]) wrong("sends " sent[line] + 0 " bytes, the table says " listed[line])
		in_table += listed[line] >= 0
	}
	for (line in bad) n++
	printf "%d pairs, %d wrong, %d transfers, %d wrong, %d in the table\n", pairs, n, transfers, bad_transfers, in_table
	exit n + bad_transfers > 0
}
