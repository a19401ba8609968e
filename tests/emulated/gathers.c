/* gathers.c — preloaded in the emulated machine: gathers and scatters whose index is one of the vectors 16 to 31, which bochs 2.7
 * takes for no instructions. A handler
 * of SIGILL does what they do to the registers it was given, which lie as XSAVE puts them; anything else it leaves to kill the program. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

enum { LEGACY = 160, HIGH_128 = 576, MASKS = 1088, HIGH_256 = 1152, HIGH_16 = 1664, HEADER = 512 };

/* The 64 bytes of a vector, from or to where its parts lie. */
static void vector_move(char *state, int number, char *value, int put)
{
	const struct {
		char *at;
		int size;
	} part[] = {{state + LEGACY + 16 * number, 16}, {state + HIGH_128 + 16 * number, 16}, {state + HIGH_256 + 32 * number, 32}},
	  whole[] = {{state + HIGH_16 + 64 * (number - 16), 64}}, *p = number < 16 ? part : whole;
	for (int done = 0; done < 64; done += p->size, p++)
		if (put)
			memcpy(p->at, value + done, (size_t)p->size);
		else
			memcpy(value + done, p->at, (size_t)p->size);
}

static int64_t general(const ucontext_t *u, int number)
{
	static const int place[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	return u->uc_mcontext.gregs[place[number]];
}

/* 62 P0 P1 P2 opcode ModRM SIB displacement */
static int gather(ucontext_t *u)
{
	unsigned char *code = (unsigned char *)u->uc_mcontext.gregs[REG_RIP];
	unsigned p0 = code[1], p1 = code[2], p2 = code[3], opcode = code[4], form = code[5] >> 6, sib = code[6];
	int scatter = opcode >= 0xa0;
	if (code[0] != 0x62 || (p0 & 7) != 2 || (p1 & 3) != 1 || (opcode & ~3u) != (scatter ? 0xa0 : 0x90) || (code[5] & 7) != 4)
		return 0;
	char *state = (char *)u->uc_mcontext.fpregs, to[64], index[64];
	int size = p1 & 0x80 ? 8 : 4, index_size = opcode & 1 ? 8 : 4, larger = size > index_size ? size : index_size;
	int lanes = (16 << (p2 >> 5 & 3)) / larger;
	int number = (code[5] >> 3 & 7) | (p0 & 0x80 ? 0 : 8) | (p0 & 0x10 ? 0 : 16);
	int index_number = (sib >> 3 & 7) | (p0 & 0x40 ? 0 : 8) | (p2 & 8 ? 0 : 16), base = (sib & 7) | (p0 & 0x20 ? 0 : 8);
	int no_base = form == 0 && (sib & 7) == 5, wide = form == 2 || no_base;
	int32_t far = 0;
	if (wide)
		memcpy(&far, code + 7, 4);
	else if (form == 1)
		far = (signed char)code[7] * size;
	uint64_t mask;
	memcpy(&mask, state + MASKS + 8 * (p2 & 7), 8);
	vector_move(state, number, to, 0);
	vector_move(state, index_number, index, 0);
	for (int i = 0; i < lanes; i++) {
		int32_t narrow;
		int64_t at;
		memcpy(&narrow, index + 4 * i, 4);
		if (index_size == 8)
			memcpy(&at, index + 8 * i, 8);
		else
			at = narrow;
		char *there = (char *)((no_base ? 0 : general(u, base)) + at * (1 << (sib >> 6)) + far);
		if (mask >> i & 1)
			memcpy(scatter ? there : to + size * i, scatter ? to + size * i : there, (size_t)size);
	}
	if (!scatter)
		memset(to + size * lanes, 0, (size_t)(64 - size * lanes));
	memset(state + MASKS + 8 * (p2 & 7), 0, 8);
	vector_move(state, number, to, 1);
	state[HEADER] |= (char)0xe6;
	u->uc_mcontext.gregs[REG_RIP] += 7 + (wide ? 4 : form == 1);
	return 1;
}

static void handle(int sig, siginfo_t *info, void *u)
{
	(void)info;
	if (!gather(u))
		signal(sig, SIG_DFL);
}

__attribute__((constructor)) static void begin(void)
{
	struct sigaction a = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER};
	sigaction(SIGILL, &a, NULL);
}
