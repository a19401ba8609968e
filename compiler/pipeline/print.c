/* print.c — the stages and passes of a region's pipelines as text; segments are numbered in the order of computation.
 */
#include "pipeline.h"

#include <inttypes.h>

void pipeline_print(struct text *t, const struct pipeline *p)
{
	text_printf(t, "pipeline %s, %d micro-batches, span %" PRId64 ", idle %d.%d %%, again and again %d.%d %%\n",
		    schedule_text(p->batch->schedule), p->batch->count, p->span, p->idle / 10, p->idle % 10,
		    p->between / 10, p->between % 10);
	for (int i = 0; i < p->stages.n; i++) {
		const struct pipeline_stage *s = &p->stages.at[i];
		text_printf(t, "stage %d %s, level %d, ranks %" PRId64, i, s->name, s->level, s->ranks);
		for (int k = 0; k < PASS_KINDS; k++)
			if (s->work[k] || k != PASS_WEIGHTS)
				text_printf(t, ", %s %" PRId64, pass_kind_text((enum pass_kind)k), s->work[k]);
		text_printf(t, ", held %d\n", s->held);
	}
	for (int i = 0; i < p->units.n; i++) {
		const struct pipeline_unit *u = &p->units.at[i];
		text_printf(t, "segment %d = %s of micro-batch %d in stage %d, from %" PRId64 " to %" PRId64 "\n",
			    u->segment, pass_kind_text(u->kind), u->micro, u->stage, u->start, u->finish);
	}
}
