#!/bin/sh
# html.sh DIR — README.md, CONTRIBUTING.md, docs/ and the READMEs of folders as one site that needs no server: open DIR/index.html.
# The words of the search stand in DIR/words.js, by section; words of the language come from the compiler's tables. A source that a page
# links is a page too, NAME.html.
#   tools/html.sh build/html        or  make html
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:?usage: html.sh DIR}
: "${CMARK:=cmark-gfm}"
command -v "$CMARK" >/dev/null || {
	echo "html.sh: $CMARK is missing: install the package cmark-gfm (it is needed for nothing else)" >&2
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out/docs/pictures" || exit 1
cp "$root"/docs/pictures/*.svg "$out/docs/pictures" &&
	cp "$root/tools/site/site.js" "$root/tools/site/site.css" "$out" || exit 1
{
	printf 'const keywords = "%s";\n' "$(sed -n 's/^WORD([A-Z]*, "\([a-z]*\)".*/\1/p' "$root/lang/ast.def" | tr '\n' ' ')"
	printf 'const types = "%s";\n' "$( (sed -n 's/^DTYPE([A-Z0-9]*, "\([a-z0-9]*\)".*/\1/p' "$root/runtime/dtype.def"
		sed -n 's/^HOST_TYPE("\([a-z]*\)").*/\1/p' "$root/lang/ast.def") | tr '\n' ' ')"
} >"$out/language.js"

# The pages beside the text, in the order of docs/README.md.
contents() {
	echo README.md
	sed -n 's/^| \[[^]]*\](\([^/)]*\.md\)) .*/docs\/\1/p' "$root/docs/README.md"
	echo CONTRIBUTING.md
	(cd "$root" && ls docs/library/*.md)
}
# All pages, those of the contents first: the search prefers them among equals.
pages() {
	contents
	(cd "$root" && find . -name '*.md' ! -path './build*' | sed 's|^\./||' | LC_ALL=C sort) | { contents >"$work/contents" && grep -vxFf "$work/contents"; }
}

# A line of the contents, with marks for what depends on the page it is shown on.
nav() {
	contents | while read -r other; do
		name=$(sed -n '1s/^# //p' "$root/$other" | sed 's/:.*//; s/&/\&amp;/g')
		case $other in docs/library/README.md) kind=' class="part"' ;; docs/library/*) kind=' class="inner"' ;; *) kind= ;; esac
		target=$(echo "$other" | sed 's/\.md$/.html/; s/^README.html$/index.html/')
		echo "@$other@$kind><a href=\"@up@$target\">$name</a></li>"
	done
}

# cmark's output: headings get the anchors that links name, links to pages and sources become links to files, sections go to words.js.
page() { # PAGE OUTPUT: writes the text of the page to OUTPUT, its words to standard output, sources that it links to $work/sources
	awk -v page="${1%.md}.html" -v text="$2" -v sources="$work/sources" '
		function path(target) { # from the root of the site
			if (page ~ /\//) target = substr(page, 1, match(page, /\/[^\/]*$/)) target
			while (sub(/[^\/]+\/\.\.\//, "", target))
				;
			return target
		}
		function plain(s) { gsub(/<[^>]*>/, "", s); return s }
		function slug(s) {
			s = tolower(plain(s))
			gsub(/&[a-z]+;/, "", s)
			gsub(/[^a-z0-9_ -]/, "", s)
			gsub(/ /, "-", s)
			return s
		}
		function quoted(s) { # what is read, as a string of JavaScript
			s = plain(s)
			gsub(/&lt;/, "<", s)
			gsub(/&gt;/, ">", s)
			gsub(/&quot;/, "\"", s)
			gsub(/&amp;/, "\\&", s)
			gsub(/\\/, "\\\\", s)
			gsub(/"/, "\\\"", s)
			gsub(/[ \t\n]+/, " ", s)
			return "\"" s "\""
		}
		function section() {
			if (heading != "") printf "[%s, %s, %s, %s],\n", quoted(page (anchor == "" ? "" : "#" anchor)), quoted(title), quoted(heading), quoted(words)
			words = ""
		}
		BEGIN { if (page == "README.html") page = "index.html" }
		/^<h[1-6]>/ {
			section()
			level = substr($0, 3, 1)
			heading = $0
			anchor = slug($0)
			if (seen[anchor]++) anchor = anchor "-" seen[anchor] - 1
			if (title == "") title = heading
			sub(/^<h[1-6]>/, "<h" level " id=\"" anchor "\">")
			sub(/<\/h[1-6]>$/, "<a class=\"here\" href=\"#" anchor "\">#</a>&")
		}
		{
			if ($0 !~ /^<h[1-6] /) words = words " " $0
			line = $0
			while (match(line, /href="[^"#:]+/)) {
				target = substr(line, RSTART + 6, RLENGTH - 6)
				done = done substr(line, 1, RSTART + 5)
				line = substr(line, RSTART + RLENGTH)
				if (!sub(/\.md$/, ".html", target)) { print path(target) >>sources; target = target ".html" }
				done = done target
			}
			print done line >text
			done = ""
		}
		END { section() }'
}

frame() { # PAGE BODY: one whole file
	up=$(dirname "$1" | sed 's|^\.$||; s|[^/][^/]*|..|g; s|$|/|; s|^/$||')
	title=$(sed -n 's|^<h1[^>]*>\(.*\)<a class="here".*|\1|p' "$2" | sed 's/<[^>]*>//g' | head -1)
	cat <<-END
		<!DOCTYPE html>
		<html lang="en">
		<head>
		<meta charset="utf-8">
		<meta name="viewport" content="width=device-width, initial-scale=1">
		<title>${title:-PML}</title>
		<link rel="stylesheet" href="${up}site.css">
		</head>
		<body data-up="$up">
		<nav>
		<input id="search" type="search" placeholder="search" aria-label="search">
		<ol id="found"></ol>
		<ul id="contents">
	END
	sed "s|^@$1@|<li aria-current=\"page\"|; s|^@[^@]*@|<li|; s|@up@|$up|" "$work/nav"
	printf '</ul>\n</nav>\n<main>\n'
	cat "$2"
	printf '</main>\n<script src="%slanguage.js"></script>\n<script src="%swords.js"></script>\n<script src="%ssite.js"></script>\n</body>\n</html>\n' "$up" "$up" "$up"
}

nav >"$work/nav"
echo "const words = [" >"$out/words.js"
pages | while read -r page; do
	target=$out/$(echo "$page" | sed 's/\.md$/.html/; s/^README.html$/index.html/')
	mkdir -p "$(dirname "$target")" &&
		"$CMARK" -e table "$root/$page" >"$work/cmark" || exit 1
	: >"$work/body"
	page "$page" "$work/body" <"$work/cmark" >>"$out/words.js"
	frame "$page" "$work/body" >"$target"
done || exit 1
sort -u "$work/sources" 2>/dev/null | while read -r source; do
	{
		printf '<h1>%s<a class="here" href="#">#</a></h1>\n<pre><code class="language-%s">' "$source" "${source##*.}"
		sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' "$root/$source" && printf '</code></pre>\n'
	} >"$work/body" && mkdir -p "$(dirname "$out/$source")" && frame "$source" "$work/body" >"$out/$source.html" || exit 1
done || exit 1
echo "];" >>"$out/words.js"
# The page of the root is index.html.
grep -rlE 'href="(\.\./)+README\.html' "$out" --include='*.html' | while read -r file; do
	depth=$(echo "${file#"$out"/}" | sed 's|[^/]*$||; s|[^/][^/]*|..|g')
	sed -i "s|href=\"${depth}README\\.html|href=\"${depth}index.html|g" "$file"
done
# Links that lead nowhere: to a file that is not there, or to a heading that the page does not have.
lost=$(cd "$out" && find . -type f | sed 's|^\./||' >"$work/files" && find . -name '*.html' | sed 's|^\./||' | xargs awk -v files="$work/files" '
	BEGIN { while ((getline line <files) > 0) there[line] = 1 }
	FNR == 1 { folder = FILENAME ~ /\// ? substr(FILENAME, 1, match(FILENAME, /\/[^\/]*$/)) : "" }
	{
		while (match($0, /(href|src|id)="[^"]*"/)) {
			word = substr($0, RSTART, RLENGTH)
			$0 = substr($0, RSTART + RLENGTH)
			value = word
			gsub(/^[a-z]*="|"$/, "", value)
			if (word ~ /^id/) anchor[FILENAME "#" value] = 1
			else if (value !~ /^[a-z]+:/ && value != "#") {
				path = value
				sub(/#.*/, "", path)
				path = path == "" ? FILENAME : folder path
				while (sub(/[^\/]+\/\.\.\//, "", path))
					;
				links++
				from[links] = FILENAME
				to[links] = path (value ~ /#/ ? substr(value, index(value, "#")) : "")
				file[links] = path
			}
		}
	}
	END { for (i = 1; i <= links; i++) if (!(file[i] in there) || (to[i] ~ /#/ && !(to[i] in anchor))) print "  " from[i] ": " to[i] }' | sort -u)
if [ -n "$lost" ]; then
	printf 'html.sh: links that lead nowhere:\n%s\n' "$lost" >&2
	exit 1
fi
echo "html.sh: $(find "$out" -name '*.html' | wc -l) pages in $out, open $out/index.html"
