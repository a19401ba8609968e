/* record.c — what ranks did, and for how long: sums by step and rank, and spans and acts where they are asked for. */
#include "stage.h"

void stage_record(struct stage *s, struct actor *a, double end, struct play_span span)
{
	struct play_rank *r = &s->play->rank[a->rank];
	struct play_times *t = &s->play->step[a->role][span.step];
	double ns = end - span.begin;
	span.end = end;
	if (ns <= 0)
		return;
	switch (span.kind) {
	case PLAY_COMPUTE:
		r->times.compute += ns;
		t->compute += ns;
		break;
	case PLAY_TALK:
		r->times.talk += ns;
		t->talk += ns;
		break;
	case PLAY_WAIT:
		r->times.wait += ns;
		t->wait += ns;
		break;
	}
	if (s->spans)
		vec_push(s->arena, &r->spans, span);
}

void stage_keep_act(struct stage *s, struct actor *a, struct play_act act)
{
	if (s->acts && (act.kind != PLAY_ACT_BUSY || act.ns > 0))
		vec_push(s->arena, &s->play->rank[a->rank].acts, act);
}

void stage_keep_busy(struct stage *s, struct actor *a, double ns)
{
	stage_keep_act(s, a, (struct play_act){.kind = PLAY_ACT_BUSY, .ns = ns});
}

/* So many ns of the rank's time for messages of a transfer. */
void stage_talk_for(struct stage *s, struct actor *a, const struct flight *f, double ns)
{
	struct play_span span = {.begin = a->clock, .kind = PLAY_TALK, .step = f->begin_step};
	a->clock += ns;
	stage_record(s, a, a->clock, span);
}

/* So many ns of its processor, which may be slower. */
void stage_talk(struct stage *s, struct actor *a, const struct flight *f, double ns)
{
	stage_keep_busy(s, a, ns * a->slower);
	stage_talk_for(s, a, f, ns * a->slower);
}
