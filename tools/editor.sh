#!/bin/sh
# editor.sh vim|textmate — writes a syntax file for editors, made from the compiler's own tables, so that a new keyword or
# element type needs no second entry.
#   tools/editor.sh vim      > ~/.vim/syntax/pml.vim
#   tools/editor.sh textmate > pml.tmLanguage.json
root=$(cd "$(dirname "$0")/.." && pwd)

# The second column of a table's rows, and its first for builtins.
keywords=$(sed -n 's/^WORD([A-Z]*, "\([a-z]*\)".*/\1/p' "$root/lang/ast.def" | tr '\n' ' ')
types=$( (sed -n 's/^DTYPE([A-Z0-9]*, "\([a-z0-9]*\)".*/\1/p' "$root/runtime/dtype.def"
	sed -n 's/^HOST_TYPE("\([a-z]*\)").*/\1/p' "$root/lang/ast.def") | tr '\n' ' ')
functions=$(sed -n 's/^BUILTIN(\([a-z_]*\),.*/\1/p' "$root/lang/builtin.def" | tr '\n' ' ')

alternatives() {
	echo "$*" | sed 's/ *$//; s/  */|/g'
}

vim() {
	cat <<-END
		" Vim syntax file for PML, made by tools/editor.sh.
		if exists("b:current_syntax") | finish | endif
		syn keyword pmlKeyword $keywords
		syn keyword pmlType $types
		syn keyword pmlFunction $functions
		syn match pmlLayout "\<[SP]\ze(\|\<[BP]\>"
		syn match pmlNumber "\<[0-9][0-9_]*\(\.[0-9]\+\)\?\([eE][+-]\?[0-9]\+\)\?\>\|\<0[xX][0-9A-Fa-f_]\+\>"
		syn region pmlString start=+"+ skip=+\\\\\\\\\|\\\\"+ end=+"+ oneline
		syn match pmlComment "//.*\$"
		syn match pmlDoc "///.*\$"
		syn region pmlComment start="/\*" end="\*/"
		hi def link pmlKeyword Keyword
		hi def link pmlType Type
		hi def link pmlFunction Function
		hi def link pmlLayout Constant
		hi def link pmlNumber Number
		hi def link pmlString String
		hi def link pmlComment Comment
		hi def link pmlDoc SpecialComment
		let b:current_syntax = "pml"
	END
}

textmate() {
	cat <<-END
		{
		  "name": "PML", "scopeName": "source.pml", "fileTypes": ["pml"],
		  "patterns": [
		    {"name": "comment.line.documentation.pml", "match": "///.*\$"},
		    {"name": "comment.line.pml", "match": "//.*\$"},
		    {"name": "comment.block.pml", "begin": "/\\\\*", "end": "\\\\*/"},
		    {"name": "string.quoted.double.pml", "begin": "\"", "end": "\"|\$",
		     "patterns": [{"name": "constant.character.escape.pml", "match": "\\\\\\\\."}]},
		    {"name": "constant.numeric.pml", "match": "\\\\b[0-9][0-9_]*(\\\\.[0-9]+)?([eE][+-]?[0-9]+)?\\\\b"},
		    {"name": "keyword.control.pml", "match": "\\\\b($(alternatives "$keywords"))\\\\b"},
		    {"name": "storage.type.pml", "match": "\\\\b($(alternatives "$types"))\\\\b"},
		    {"name": "support.function.pml", "match": "\\\\b($(alternatives "$functions"))\\\\b(?=\\\\()"},
		    {"name": "constant.language.layout.pml", "match": "\\\\b([SP](?=\\\\()|[BP]\\\\b)"}
		  ]
		}
	END
}

case $1 in
vim) vim ;;
textmate) textmate ;;
*)
	echo "usage: editor.sh vim|textmate" >&2
	exit 2
	;;
esac
