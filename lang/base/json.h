/* json.h — reads JSON (RFC 8259) into a tree. Numbers are kept as double and, where they are whole and fit, as int64.
 */
#ifndef PML_JSON_H
#define PML_JSON_H

#include "arena.h"
#include "vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind { JSON_IS_NULL, JSON_IS_BOOL, JSON_IS_NUMBER, JSON_IS_TEXT, JSON_IS_LIST, JSON_IS_OBJECT };

struct json {
	enum json_kind kind;
	const char *key; /* of a member of an object */
	bool truth;
	double number;
	int64_t integer;
	const char *text;         /* UTF-8, 0-terminated; \u0000 is refused */
	VEC(struct json *) items; /* LIST, and members of an OBJECT in order */
};

/* NULL and a message at *error if the text is not one JSON value. */
struct json *json_read(struct arena *a, const char *text, size_t n, const char **error);

/* The member of an object; NULL if there is none or j is no object (or NULL). */
const struct json *json_get(const struct json *j, const char *key);
/* Its text, "" if it is none; its integer, 0 if it is none. */
const char *json_get_text(const struct json *j, const char *key);
int64_t json_get_int(const struct json *j, const char *key);

#endif
