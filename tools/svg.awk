# svg.awk — what the tools draw with: functions that add to `body`, and finish, which prints the picture.
function text(x, y, s, anchor, class) {
	gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s)
	body = body sprintf("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" class=\"%s\">%s</text>\n", x, y, anchor, class, s)
}
function box(x, y, w, h, class) { body = body sprintf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"/>\n", x, y, w, h, class) }
function line(x, y, to_x, to_y) { body = body sprintf("<path d=\"M%d %d L%d %d\" class=\"thin\"/>\n", x, y, to_x, to_y) }
function finish(width, height, title) {
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", width, height, width, height
	printf "<title>%s</title>\n<style>\n", title
	print "text { font: 12px sans-serif; fill: #222 } .small { font-size: 10px; fill: #555 } .code { font: 12px monospace }"
	print ".white { fill: #fff } .none { fill: #f0f0f0 } .grid { stroke: #fff; stroke-width: .7 } .cut { fill: none; stroke: #888 }"
	print ".r0 { fill: #4477aa } .r1 { fill: #ee6677 } .r2 { fill: #228833 } .r3 { fill: #ccbb44 }"
	print ".part { fill-opacity: .4 } .line { stroke: #555; stroke-width: 1.5; fill: none } .thin { stroke: #999; fill: none }"
	print ".forward { fill: #88bbdd } .backward { fill: #f0b27a } .stage { stroke: #fff } .idle { fill: #f0f0f0 }"
	printf "</style>\n<rect width=\"%d\" height=\"%d\" class=\"white\"/>\n%s</svg>\n", width, height, body
}
