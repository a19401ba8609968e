/* mpi.h — the part of MPI that the runtime's transfers use, for ranks that are coroutines of one process (sim.h). The
 * runtime's sources are compiled against this file instead of an MPI's. Semantics are those of the MPI standard 3.1,
 * chapters 3, 5 and 6; where the standard leaves an implementation free, the seed of the run decides (sim_messages.c).
 */
#ifndef SIM_MPI_H
#define SIM_MPI_H

typedef struct sim_comm *MPI_Comm;
typedef struct sim_group *MPI_Group;
typedef struct sim_request *MPI_Request;
typedef const struct sim_op *MPI_Op;
typedef int MPI_Datatype; /* a row of SIM_DATATYPES, from 1 */
typedef int MPI_Errhandler, MPI_Info;
typedef struct {
	int MPI_SOURCE;
} MPI_Status;
typedef void MPI_User_function(void *from, void *to, int *count, MPI_Datatype *type);

#define SIM_DATATYPES(T) \
	T(FLOAT, float) \
	T(DOUBLE, double) \
	T(BYTE, unsigned char) \
	T(INT, int) \
	T(INT8_T, int8_t) \
	T(INT16_T, int16_t) \
	T(INT32_T, int32_t) \
	T(INT64_T, int64_t) \
	T(UINT8_T, uint8_t) \
	T(UINT16_T, uint16_t) \
	T(UINT32_T, uint32_t) \
	T(UINT64_T, uint64_t)
enum {
	MPI_DATATYPE_NULL,
#define SIM_DATATYPE(name, ctype) MPI_##name,
	SIM_DATATYPES(SIM_DATATYPE)
#undef SIM_DATATYPE
};

enum { MPI_SUCCESS, MPI_ERR_OTHER = 15, MPI_MAX_ERROR_STRING = 64 };
enum { MPI_ERRORS_RETURN = 1, MPI_INFO_NULL = 0, MPI_COMM_TYPE_SHARED = 1, MPI_THREAD_FUNNELED = 1 };
#define MPI_COMM_NULL     ((MPI_Comm)0)
#define MPI_REQUEST_NULL  ((MPI_Request)0)
#define MPI_OP_NULL       ((MPI_Op)0)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_IN_PLACE      ((void *)-1)
#define MPI_COMM_WORLD    sim_world()
#define MPI_SUM           sim_op_sum()
#define MPI_PROD          sim_op_prod()
#define MPI_MAX           sim_op_max()
#define MPI_MIN           sim_op_min()

MPI_Comm sim_world(void);
MPI_Op sim_op_sum(void), sim_op_prod(void), sim_op_max(void), sim_op_min(void);

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Test(MPI_Request *request, int *done, MPI_Status *status);

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
		   MPI_Request *request);
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Ireduce_scatter(const void *from, void *to, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
			MPI_Request *request);
int MPI_Iallgather(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
		   MPI_Comm comm, MPI_Request *request);
int MPI_Iallgatherv(const void *from, int count, MPI_Datatype type, void *to, const int *counts, const int *at,
		    MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request);
int MPI_Ialltoallv(const void *from, const int *counts, const int *at, MPI_Datatype type, void *to,
		   const int *to_counts, const int *to_at, MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request);

int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out);
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int MPI_Group_incl(MPI_Group group, int n, const int *ranks, MPI_Group *out);
int MPI_Group_free(MPI_Group *group);
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out);
int MPI_Comm_split_type(MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm *out);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_free(MPI_Comm *comm);

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op);
int MPI_Error_string(int code, char *text, int *length);

#endif
