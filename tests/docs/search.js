// search.js — node search.js SITE: loads what tools/html.sh wrote as a page of the site does, types into its search, and compares the first
// finds with what a reader looks for. Ends with status 1 if one is another.
"use strict";
const fs = require("fs"), vm = require("vm");
const site = process.argv[2];

// As much of a browser as site.js asks for.
function element() {
	return {
		dataset: { up: "" }, classList: { toggle() {} }, children: [],
		append(...more) { this.children.push(...more); },
		replaceChildren(...all) { this.children = all; },
		addEventListener(event, then) { this["on" + event] = then; },
		querySelectorAll: () => [],
	};
}
const byId = {};
const page = {
	document: { ...element(), body: element(), getElementById: id => byId[id] ||= element(), createElement: element, activeElement: null },
	location: { search: "" }, URLSearchParams,
};
vm.createContext(page);
for (const file of ["language.js", "words.js", "site.js"]) vm.runInContext(fs.readFileSync(`${site}/${file}`, "utf8"), page);

const cases = [
	["cross_entropy", "docs/library/loss.html#cross_entropy"],
	["hostfile", "docs/clusters.html#open-mpi"],
	["x < y", "docs/library/prelude.html#segment_max"],           // signs that HTML writes in another way
	["rows && 2", "docs/guide.html#a-table-of-your-own"],
	["nn.mamba", "docs/library/nn.html#mamba"],
	["nothing-of-this-name", undefined],
];
for (const [typed, wanted] of cases) {
	byId.search.value = typed;
	byId.search.oninput();
	const first = byId.found.children[0], got = first && first.children ? first.children[0].href : undefined;
	if (got !== wanted) {
		console.log(`"${typed}" finds ${got}, not ${wanted}`);
		process.exitCode = 1;
	}
}
