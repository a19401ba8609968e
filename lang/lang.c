/* lang.c — the small readings of the front end: tokens for --emit=tokens, the grammar for --print=grammar. */
#include "lang.h"

#include "parse.h"

#include "parser.h"

extern const unsigned char lang_grammar_bytes[];

void lang_print_tokens(struct session *s, uint32_t file, struct text *out)
{
	const struct source *src = &s->sources.at[file];
	struct parse p = {.session = s, .file = file, .bytes = src->bytes, .size = src->size};
	union parse_value value;
	struct span at;
	if (!source_check_text(s, file))
		return;
	lexer_open(&p);
	for (int token; (token = lexer_next(&value, &at, &p)) != 0;) {
		struct line_column lc = source_position(src, at.begin);
		text_printf(out, "%d:%d\t%s\t", lc.line, lc.column, parse_token_name(token));
		text_add_n(out, src->bytes + at.begin, at.end - at.begin);
		text_add(out, "\n");
	}
	lexer_close(&p);
}

const char *lang_grammar(void)
{
	return (const char *)lang_grammar_bytes;
}
