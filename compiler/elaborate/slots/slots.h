/* slots.h — params and states: declared, initialised, and where files keep them. */
#ifndef PML_SLOTS_H
#define PML_SLOTS_H

#include "../region/region.h"

/* ---- params and states (slot.c) ---- */

const struct value *slot_of_item(struct elab *e, struct item *item);
/* A param or state of a type: a slot, or a struct or list of them with names of their own, "blocks.0.w". */
const struct value *slot_declare(struct elab *e, const struct type *t, enum slot_class class, const char *name,
				 struct span at, const struct expr *init, struct module *m);
/* Makes the initialiser's value in the init code and gives it to the slot. */
void slot_initialise(struct elab *e, int slot, const struct expr *init, struct module *m);
/* The same for all members of a list. */
void list_initialise(struct elab *e, const struct slot *list, const struct expr *init, struct module *m);

/* ---- structs of them (struct.c) ---- */

/* A struct of params: one slot per field. Their initial values are their own, or those of init, a struct (NULL: none),
 * which stands in module m. */
const struct value *struct_declare(struct elab *e, const struct type *t, enum slot_class class, const char *name,
				   struct span at, const struct expr *init, struct module *m);

/* ---- names in files (file_names.c) ---- */

/* The value of a `names` block. */
const struct value *file_names_item(struct elab *e, struct item *item);

#endif
