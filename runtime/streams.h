/* streams.h — standard input, output and error of a process that was started without some of them: what it opens first
 * would stand in their place, and what it prints would go there. */
#ifndef PML_STREAMS_H
#define PML_STREAMS_H

#include <fcntl.h>
#include <unistd.h>

/* Keeps their places, such that reading from them and writing to them are errors. First of all in main. */
static inline void streams_keep(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

#endif
