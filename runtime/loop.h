/* loop.h — a loop of a region, as the words say by which generated code begins it (loop.c). */
#ifndef RT_LOOP_H
#define RT_LOOP_H

/* Distances are in words, from the first of these. */
enum loop_word {
	LOOP_BODY,   /* to the step behind the begin */
	LOOP_BEHIND, /* to the step behind the end */
	LOOP_STATE,  /* number of the first of its cells */
	LOOP_TURN,   /* cell of the buffer that holds the number of the turn, -1: nobody reads it */
	LOOP_MOST,   /* turns at the most, -1: any number */
	LOOP_ASKS,   /* 1: a condition decides whether there is one more turn */
	LOOP_SITE,
	/* Distances to lists, each behind its number of entries: */
	LOOP_STARTS,  /* cells that are set before the first turn: cell, cell of what it becomes */
	LOOP_NEXTS,   /* cells that are set behind every turn, all at once: likewise */
	LOOP_CLEARED, /* buffers that are zero before the first turn: cell, bytes */
	LOOP_TAPES,   /* tapes: cell of its address, first of its own cells, bytes of a line */
	LOOP_REWINDS, /* tapes that have no lines before the first turn: first of their own cells */
	LOOP_MOVES,   /* cells that move in every turn: enum loop_move, then cells */
	LOOP_LATE,    /* that move behind the test: likewise */
	LOOP_HEAD
};

/* A cell that moves: to line first + step * turn of one buffer, or to so many of several. */
enum loop_move {
	MOVE_CELL,
	MOVE_BACK, /* 1: counted from behind the number of turns */
	MOVE_FIRST,
	MOVE_STEP,
	MOVE_LINES, /* that there are; 0: of a tape */
	MOVE_BYTES, /* of a line */
	MOVE_SITE,
	MOVE_TAPE,    /* that it is a line of, behind those there were before: first of its own cells; -1: of none */
	MOVE_BUFFERS, /* how many */
	MOVE_HEAD
};

/* Cells of a loop: its turn, how many it makes, when it began (ns; where nothing but a condition ends it), and room for
 * what is set behind a turn. */
enum { LOOP_CELL_TURN, LOOP_CELL_TURNS, LOOP_CELL_BEGAN, LOOP_CELLS };
/* Cells of a tape: the memory it has, the addresses; the lines it has, and how many of them it had when the loop that
 * writes it began. */
enum { TAPE_BYTES, TAPE_RESERVED, TAPE_LINES, TAPE_BEFORE, TAPE_CELLS };

#endif
