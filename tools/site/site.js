// site.js: search over the sections in words.js, and colours for code. `words` holds [address, page, heading, text].
"use strict";

const up = document.body.dataset.up;
const search = document.getElementById("search"), found = document.getElementById("found"), contents = document.getElementById("contents");
const lower = words.map(([, page, heading, text]) => [heading, page, text, name(page, heading)].map(part => part.toLowerCase()));

// What programs call an entry of the library: mamba in "std.nn: layers …" is nn.mamba.
function name(page, heading) {
	const module = /^std\.(\w+):/.exec(page);
	return module ? module[1] + "." + heading : heading;
}

// How well a section fits: every word has to be there; in the heading it counts most, at its begin more.
function score(section, wanted) {
	let sum = 0;
	for (const word of wanted) {
		const [heading, page, text, name] = section;
		if (heading === word || name === word) sum += 100;
		else if (heading.startsWith(word)) sum += 40;
		else if (heading.includes(word)) sum += 20;
		else if (page.includes(word)) sum += 5;
		else if (text.includes(word)) sum += 1;
		else return 0;
	}
	return sum;
}

function around(text, word) {
	const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
	return (at ? "…" : "") + text.slice(at, at + 110) + "…";
}

function entry([address, page, heading, text], wanted) {
	const li = document.createElement("li"), a = document.createElement("a"), small = document.createElement("small");
	a.href = up + address;
	a.textContent = heading === page ? page : heading + " — " + page;
	small.textContent = around(text, wanted[0]);
	li.append(a, small);
	return li;
}

let chosen = -1;

function show() {
	const wanted = search.value.toLowerCase().split(/\s+/).filter(word => word);
	const hits = wanted.length ? lower.map((section, i) => [score(section, wanted), i]).filter(([sum]) => sum) : [];
	hits.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
	found.replaceChildren(...hits.slice(0, 20).map(([, i]) => entry(words[i], wanted)));
	if (wanted.length && !hits.length) found.append("nothing");
	contents.hidden = wanted.length > 0;
	chosen = -1;
}

search.addEventListener("input", show);
search.addEventListener("keydown", event => {
	const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], items = found.querySelectorAll("li");
	if (step && items.length) {
		chosen = (chosen + step + items.length) % items.length;
		items.forEach((li, i) => li.classList.toggle("chosen", i === chosen));
		event.preventDefault();
	}
	if (event.key === "Enter" && items.length) location.href = items[Math.max(0, chosen)].querySelector("a").href;
});
document.addEventListener("keydown", event => {
	if (event.key === "/" && document.activeElement !== search) {
		search.focus();
		event.preventDefault();
	}
});
const query = new URLSearchParams(location.search).get("q");
if (query) {
	search.value = query;
	show();
}

// Code: comments, strings, numbers, words of the language.
const isWord = new Set(keywords.split(" ")), isType = new Set(types.split(" "));
const token = /(\/\/.*)|("(?:[^"\\]|\\.)*")|(\b[0-9][0-9_]*(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?\b)|([A-Za-z_]\w*)/g;
for (const code of document.querySelectorAll("code.language-pml")) {
	const text = code.textContent, parts = [];
	let end = 0;
	for (const hit of text.matchAll(token)) {
		const kind = hit[1] ? "c" : hit[2] ? "s" : hit[3] ? "n" : isWord.has(hit[4]) ? "k" : isType.has(hit[4]) ? "t" : "";
		if (!kind) continue;
		const span = document.createElement("span");
		span.className = kind;
		span.textContent = hit[0];
		parts.push(text.slice(end, hit.index), span);
		end = hit.index + hit[0].length;
	}
	code.replaceChildren(...parts, text.slice(end));
}
