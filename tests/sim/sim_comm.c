/* sim_comm.c — communicators, groups, element types, reductions. */
#include "sim_world.h"

#include <stdlib.h>
#include <string.h>

size_t sim_type_size(MPI_Datatype type)
{
	switch (type) {
#define SIM_DATATYPE(name, ctype) \
	case MPI_##name: \
		return sizeof(ctype);
		SIM_DATATYPES(SIM_DATATYPE)
#undef SIM_DATATYPE
	default:
		return 0;
	}
}

const char *sim_type_name(MPI_Datatype type)
{
	static const char *const names[] = {"MPI_DATATYPE_NULL",
#define SIM_DATATYPE(name, ctype) "MPI_" #name,
					    SIM_DATATYPES(SIM_DATATYPE)
#undef SIM_DATATYPE
	};
	return names[type];
}

void sim_spoil(void *p, size_t bytes)
{
	if (bytes)
		memset(p, 0xE7, bytes);
}

void sim_count(int64_t label, int rank, int64_t sent, int64_t received)
{
	const struct sim_options *o = &sim_now()->options;
	if (!o->traffic || label < 0 || label >= o->labels)
		return;
	o->traffic[label * o->ranks + rank].sent += sent;
	o->traffic[label * o->ranks + rank].received += received;
}

void sim_count_crossing(int64_t label, int from, int to, int64_t bytes)
{
	const struct sim_options *o = &sim_now()->options;
	if (o->traffic && o->host && label >= 0 && label < o->labels && o->host[from] != o->host[to])
		o->traffic[label * o->ranks + from].crossed += bytes;
}

/* ---- reductions ---- */

MPI_Op sim_op_sum(void)
{
	static const struct sim_op op = {.kind = 's'};
	return &op;
}

MPI_Op sim_op_prod(void)
{
	static const struct sim_op op = {.kind = 'p'};
	return &op;
}

MPI_Op sim_op_max(void)
{
	static const struct sim_op op = {.kind = 'M'};
	return &op;
}

MPI_Op sim_op_min(void)
{
	static const struct sim_op op = {.kind = 'm'};
	return &op;
}

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op)
{
	struct sim_op *made = sim_alloc(sizeof *made);
	if (!commutes)
		sim_fail("an operation that does not commute");
	made->function = function;
	*op = made;
	return MPI_SUCCESS;
}

#define APPLY(name, ctype) \
	case MPI_##name: { \
		ctype *a = to; \
		const ctype *b = from; \
		for (int i = 0; i < n; i++) \
			a[i] = (ctype)(op->kind == 's'   ? a[i] + b[i] \
				       : op->kind == 'p' ? a[i] * b[i] \
				       : op->kind == 'M' ? (a[i] > b[i] ? a[i] : b[i]) \
							 : (a[i] < b[i] ? a[i] : b[i])); \
		return; \
	}

void sim_reduce(MPI_Op op, MPI_Datatype type, void *to, const void *from, int n)
{
	if (op->function) {
		op->function((void *)from, to, &n, &type);
		return;
	}
	switch (type) {
		SIM_DATATYPES(APPLY)
	}
}

/* ---- communicators ---- */

int sim_comm_rank(MPI_Comm comm, int world_rank)
{
	for (int i = 0; i < comm->n; i++)
		if (comm->ranks[i] == world_rank)
			return i;
	return -1;
}

MPI_Comm sim_comm_make(MPI_Comm parent, const int *ranks, int n)
{
	struct sim_world *w = sim_now();
	struct sim_comm *c = sim_alloc(sizeof *c);
	*c = (struct sim_comm){.n = n, .parent = parent, .next = w->comms};
	c->ranks = sim_alloc((size_t)n * sizeof *c->ranks);
	memcpy(c->ranks, ranks, (size_t)n * sizeof *c->ranks);
	return w->comms = c;
}

MPI_Comm sim_world(void)
{
	return sim_now()->world;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	*rank = sim_comm_rank(comm, sim_rank());
	return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
	*size = comm->n;
	return MPI_SUCCESS;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
	*group = malloc(sizeof **group);
	if (!*group)
		abort();
	(*group)->n = comm->n;
	memcpy((*group)->ranks, comm->ranks, (size_t)comm->n * sizeof *comm->ranks);
	return MPI_SUCCESS;
}

int MPI_Group_incl(MPI_Group group, int n, const int *ranks, MPI_Group *out)
{
	*out = calloc(1, sizeof **out);
	if (!*out)
		abort();
	(*out)->n = n;
	for (int i = 0; i < n; i++) {
		if (ranks[i] < 0 || ranks[i] >= group->n)
			sim_fail("rank %d of a group of %d", ranks[i], group->n);
		for (int k = 0; k < i; k++)
			if (ranks[k] == ranks[i])
				sim_fail("rank %d is twice in a group", ranks[i]);
		(*out)->ranks[i] = group->ranks[ranks[i]];
	}
	return MPI_SUCCESS;
}

int MPI_Group_free(MPI_Group *group)
{
	free(*group);
	*group = NULL;
	return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
	(void)comm;
	(void)handler;
	return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm)
{
	*comm = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

int MPI_Error_string(int code, char *text, int *length)
{
	(void)code;
	strcpy(text, "error");
	*length = (int)strlen(text);
	return MPI_SUCCESS;
}
