/* pool.c — see pool.h. Pieces that have been read are found when another is looked for. */
#include "pool.h"

int64_t pool_ticket(struct pool *p)
{
	return p->tickets++;
}

/* Takes a piece out that all have read. False: they have not. */
static bool leave(struct pool_piece **link)
{
	struct pool_piece *x = *link;
	if (!x->is_read(x))
		return false;
	*link = x->next;
	x->placed = false;
	return true;
}

static bool leave_if_placed(struct pool *p, const struct pool_piece *piece)
{
	struct pool_piece **link = &p->first;
	if (!piece->placed)
		return true;
	while (*link != piece)
		link = &(*link)->next;
	return leave(link);
}

bool pool_take(struct pool *p, int64_t ticket, struct pool_piece *piece, int64_t bytes)
{
	struct pool_piece **link = &p->first;
	int64_t begin = 0;
	if (ticket != p->served || !leave_if_placed(p, piece))
		return false;
	while (*link && (*link)->at - begin < bytes) {
		if (leave(link))
			continue;
		begin = (*link)->at + (*link)->bytes;
		link = &(*link)->next;
	}
	if (!*link && p->bytes - begin < bytes)
		return false;
	piece->next = *link;
	piece->at = begin;
	piece->bytes = bytes;
	piece->placed = true;
	*link = piece;
	p->served++;
	return true;
}
