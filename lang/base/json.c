/* json.c — jansson reads; the tree it gives is copied into the arena, so that nobody has to release it. */
#include "json.h"

#include <jansson.h>
#include <string.h>

static struct json *copied(struct arena *a, const char *key, const json_t *from);

static void copy_items(struct arena *a, struct json *to, const json_t *from)
{
	for (size_t i = 0; i < json_array_size(from); i++)
		vec_push(a, &to->items, copied(a, NULL, json_array_get(from, i)));
}

static void copy_members(struct arena *a, struct json *to, const json_t *from)
{
	for (void *i = json_object_iter((json_t *)(uintptr_t)from); i;
	     i = json_object_iter_next((json_t *)(uintptr_t)from, i))
		vec_push(a, &to->items, copied(a, json_object_iter_key(i), json_object_iter_value(i)));
}

static struct json *copied(struct arena *a, const char *key, const json_t *from)
{
	struct json *to = ARENA_NEW(a, struct json);
	to->key = key ? arena_strdup(a, key) : NULL;
	switch (json_typeof(from)) {
	case JSON_OBJECT:
		to->kind = JSON_IS_OBJECT;
		copy_members(a, to, from);
		break;
	case JSON_ARRAY:
		to->kind = JSON_IS_LIST;
		copy_items(a, to, from);
		break;
	case JSON_STRING:
		to->kind = JSON_IS_TEXT;
		to->text = arena_strdup(a, json_string_value(from));
		break;
	case JSON_INTEGER:
	case JSON_REAL:
		to->kind = JSON_IS_NUMBER;
		to->number = json_number_value(from);
		to->integer = json_is_integer(from) ? json_integer_value(from) : 0;
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		to->kind = JSON_IS_BOOL;
		to->truth = json_is_true(from);
		break;
	case JSON_NULL:
		to->kind = JSON_IS_NULL;
		break;
	}
	return to;
}

struct json *json_read(struct arena *a, const char *text, size_t n, const char **error)
{
	json_error_t e;
	json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
	if (!root) {
		*error = arena_printf(a, "line %d: %s", e.line, e.text);
		return NULL;
	}
	struct json *j = copied(a, NULL, root);
	json_decref(root);
	return j;
}

const struct json *json_get(const struct json *j, const char *key)
{
	for (int i = 0; j && j->kind == JSON_IS_OBJECT && i < j->items.n; i++)
		if (strcmp(j->items.at[i]->key, key) == 0)
			return j->items.at[i];
	return NULL;
}

const char *json_get_text(const struct json *j, const char *key)
{
	const struct json *member = json_get(j, key);
	return member && member->kind == JSON_IS_TEXT ? member->text : "";
}

int64_t json_get_int(const struct json *j, const char *key)
{
	const struct json *member = json_get(j, key);
	return member && member->kind == JSON_IS_NUMBER ? member->integer : 0;
}
