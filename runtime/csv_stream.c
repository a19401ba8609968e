/* csv_stream.c — see csv_stream.h. Waiting for input is no waiting for other ranks, so the watchdog does not count it;
 * while rank 0 waits it looks after MPI now and then, as messages of its own may still be under way. */
#define _DEFAULT_SOURCE
#include "csv_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16, RECORD_MOST = 1 << 20, LOOK_EVERY_MS = 10, MARK = 3 };

struct csv_stream {
	struct csv_table table;
	int32_t site;
	int fd;     /* rank 0's */
	bool over;  /* nothing follows */
	bool begun; /* its first bytes were looked at */
	char *text; /* rank 0: what came and was not taken yet, from begin to end */
	int64_t room, begin, end;
	char *batch; /* the records that were taken last */
	int64_t batch_room;
};

struct csv_table *csv_stream_table(struct csv_stream *s)
{
	return &s->table;
}

static bool is_input(const char *path)
{
	return strcmp(path, "/dev/stdin") == 0 || strcmp(path, "/dev/fd/0") == 0 ||
	       strcmp(path, "/proc/self/fd/0") == 0;
}

/* A broadcast of rank 0's that may come much later. */
static void send_all(struct pmlrt *rt, void *data, int64_t bytes, int32_t site)
{
	MPI_Request request;
	struct rt_pause pause;
	int done = 0;
	if (rt->size == 1)
		return;
	RT_CHECK_AT(rt, site, MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, rt->control, &request));
	rt_pause_begin(rt, &pause);
	for (;;) {
		RT_CHECK_AT(rt, site, MPI_Test(&request, &done, MPI_STATUS_IGNORE));
		if (done)
			return;
		rt_pause(rt, &pause);
	}
}

bool csv_is_stream(struct pmlrt *rt, const char *path, int32_t site)
{
	struct stat s;
	int stream = is_input(path) || (stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode));
	send_all(rt, &stream, sizeof stream, site);
	return stream;
}

/* ---- rank 0 ---- */

static void open_input(struct pmlrt *rt, struct csv_stream *s)
{
	s->fd = is_input(s->table.path) ? dup(STDIN_FILENO) : open(s->table.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (s->fd < 0)
		rt_fail(rt, s->site, "cannot open `%s`: %s", s->table.path, strerror(errno));
}

/* Waits until something can be read. */
static void wait_input(struct pmlrt *rt, const struct csv_stream *s)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	int flag;
	while (poll(&p, 1, LOOK_EVERY_MS) == 0 || p.revents == 0)
		RT_CHECK_AT(rt, s->site, MPI_Iprobe(MPI_ANY_SOURCE, 0, rt->control, &flag, MPI_STATUS_IGNORE));
}

/* Room for one more piece behind the end. */
static void make_room(struct pmlrt *rt, struct csv_stream *s)
{
	if (s->begin) {
		memmove(s->text, s->text + s->begin, (size_t)(s->end - s->begin));
		s->end -= s->begin;
		s->begin = 0;
	}
	if (s->room - s->end >= PIECE)
		return;
	char *more = rt_alloc_large(rt, 2 * s->room + PIECE);
	if (s->end)
		memcpy(more, s->text, (size_t)s->end);
	rt_release(rt, s->text);
	s->text = more;
	s->room = 2 * s->room + PIECE;
}

static void read_more(struct pmlrt *rt, struct csv_stream *s)
{
	make_room(rt, s);
	ssize_t n;
	do {
		wait_input(rt, s);
		n = read(s->fd, s->text + s->end, PIECE);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		rt_fail(rt, s->site, "cannot read `%s`: %s", s->table.path, strerror(errno));
	if (memchr(s->text + s->end, 0, (size_t)n))
		rt_fail(rt, s->site, "`%s` is not text: it has a byte 0", s->table.path);
	s->over = n == 0;
	s->end += n;
}

/* A byte order mark does not count; it may come in pieces. */
static void skip_mark(struct pmlrt *rt, struct csv_stream *s)
{
	while (!s->over && s->end < MARK && memcmp(s->text, "\xef\xbb\xbf", (size_t)s->end) == 0)
		read_more(rt, s);
	if (s->end >= MARK && memcmp(s->text, "\xef\xbb\xbf", MARK) == 0)
		s->begin = MARK;
	s->begun = true;
}

/* Where the record that begins at `at`, behind empty lines, ends; -1: it has not come yet, or nothing does any more. */
static int64_t record_end(struct pmlrt *rt, const struct csv_stream *s, int64_t at)
{
	const char *end = s->text + s->end, *p = csv_skip_empty(s->text + at, end, s->table.separator);
	if (p == end)
		return -1;
	const char *behind = csv_behind(p, end, s->table.separator);
	if (!behind && s->over)
		rt_fail(rt, s->site, "`%s` line %lld: a quote is opened here that none closes", s->table.path,
			(long long)(s->table.line + 1 + csv_lines(s->text + s->begin, p)));
	if ((behind ? behind : end) - p > RECORD_MOST)
		rt_fail(rt, s->site, "`%s` has a row of more than %d bytes", s->table.path, RECORD_MOST);
	return !behind || (behind == end && !s->over && end[-1] != '\n') ? -1 : behind - s->text;
}

/* Bytes from begin on that hold so many records, all there are if fewer come. */
static int64_t find_records(struct pmlrt *rt, struct csv_stream *s, int64_t records)
{
	int64_t at = s->begin;
	while (records > 0) {
		int64_t end = s->end ? record_end(rt, s, at) : -1, taken = at - s->begin;
		if (end >= 0) {
			at = end;
			records--;
			continue;
		}
		if (s->over)
			break;
		read_more(rt, s);
		if (!s->begun)
			skip_mark(rt, s);
		at = s->begin + taken;
	}
	return at - s->begin;
}

/* ---- all ranks ---- */

int64_t csv_stream_take(struct pmlrt *rt, struct csv_stream *s, int64_t records)
{
	struct csv_table *t = &s->table;
	t->line += csv_lines(t->text, t->end);
	int64_t bytes = rt->rank == 0 ? find_records(rt, s, records) : 0;
	send_all(rt, &bytes, sizeof bytes, s->site);
	if (bytes > INT32_MAX)
		rt_fail(rt, s->site, "a batch of `%s` has more than 2 GB", t->path);
	if (bytes > s->batch_room) {
		rt_release(rt, s->batch);
		s->batch = rt_alloc_large(rt, 2 * bytes);
		s->batch_room = 2 * bytes;
	}
	if (rt->rank == 0 && bytes)
		memcpy(s->batch, s->text + s->begin, (size_t)bytes);
	s->begin += bytes;
	if (bytes)
		send_all(rt, s->batch, bytes, s->site);
	t->text = s->batch;
	t->end = s->batch + bytes;
	csv_table_begin(t, t->text);
	csv_table_count(rt, t, false, s->site);
	return t->rows;
}

struct csv_stream *csv_stream_open(struct pmlrt *rt, const char *path, char separator, bool has_heading, int32_t site)
{
	struct csv_stream *s = rt_alloc(rt, sizeof *s);
	s->site = site;
	s->table = (struct csv_table){.path = path, .separator = separator, .text = "", .fields = INT64_MAX};
	s->table.end = s->table.text;
	s->table.cursor = rt_alloc(rt, sizeof *s->table.cursor);
	if (rt->rank == 0)
		open_input(rt, s);
	if (!has_heading)
		return s;
	if (csv_stream_take(rt, s, 1) == 0)
		rt_fail(rt, site, "`%s` ended before its heading", path);
	s->table.heading = s->table.first;
	s->table.heading_end = s->table.end;
	s->batch = NULL; /* it stays */
	s->batch_room = 0;
	s->table.rows = 0;
	return s;
}
