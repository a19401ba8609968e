# check.awk — compares what the runtime counted with what was planned and with the closed forms.
#   awk -f check.awk TABLE PLAN.json PROFILE.json       prints a line per difference and "N pairs, M wrong" at the end
function field(name,   s) {
	if (!match($0, "\"" name "\": *[^,}]*")) return ""
	s = substr($0, RSTART, RLENGTH)
	sub(/^"[^"]*": */, "", s)
	gsub(/"/, "", s)
	return s
}
function wrong(text) { print "line " line ": " what[line] ": " text; bad[line] = 1 }
FNR == 1 { file++ }
file == 1 { what[$1] = $2 " " $4 " -> " $5 " " $6 " (" $3 ")"; form[$1] = $7; least[$1] = $8; relation[$1] = $3; next }
file == 2 && /^ *{"id":/ {
	id = field("id")
	planned[id] = field("bytes"); planned_rank[id] = field("bytes_per_rank"); planned_line[id] = field("line"); planned_kind[id] = field("kind")
}
file == 3 && /^ *{"id":/ {
	id = field("id"); line = planned_line[id]
	transfers++
	if (field("bytes") != planned[id] * field("calls"))
		print "line " line ": transfer " id " (" planned_kind[id] "): counted " field("bytes") " bytes, planned " planned[id] bad_transfers++
	if (field("bytes_per_rank") != planned_rank[id])
		print "line " line ": transfer " id " (" planned_kind[id] "): counted " field("bytes_per_rank") " bytes of one rank, planned " planned_rank[id] bad_transfers++
	if (field("calls") != 1)
		print "line " line ": transfer " id " ran " field("calls") " times" bad_transfers++
	if (line in what) { sent[line] += field("bytes"); moved[line]++ }
}
END {
	for (line in what) {
		pairs++
		if (moved[line] > 1) wrong("more than one transfer")
		if (form[line] >= 0 && sent[line] + 0 != form[line]) wrong("sends " sent[line] + 0 " bytes, the closed form is " form[line])
		if (least[line] >= 0 && sent[line] + 0 != least[line]) wrong("sends " sent[line] + 0 " bytes, " least[line] " would do")
	}
	for (line in bad) n++
	printf "%d pairs, %d wrong, %d transfers, %d wrong\n", pairs, n, transfers, bad_transfers
	exit n + bad_transfers > 0
}
