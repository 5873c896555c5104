// SPDX-License-Identifier: GPL-2.0
/*
 * delay - a proxy that adds the latency of a network.
 *
 *	delay MS PORT
 *
 * Listens on a port of the loopback interface, which it prints, and forwards connections to
 * PORT there.  Bytes of each direction are forwarded after half of MS, so a response takes MS
 * longer.  Bandwidth is not limited, and the connection itself is not delayed.
 *
 * Why not netem: it needs a namespace and a module that test machines may not have.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BLOCK		65536
/* Bytes that one direction of a connection holds: more than TCP would have under way */
#define HELD_MAX	(16 << 20)
#define CONNECTIONS	1000

struct block {
	STAILQ_ENTRY(block) link;
	long long due;
	ssize_t len;
	ssize_t sent;
	char data[BLOCK];
};

/* One direction, from socket @in to socket @out */
struct pipe {
	STAILQ_HEAD(, block) blocks;
	size_t held;
	int in;
	int out;
	int ended;	/* no more comes */
};

static struct pipe pipes[2 * CONNECTIONS];
static int nr_pipes;
static long long half;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int tcp(struct sockaddr_in *a, int port)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("delay: socket");
	*a = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port),
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	return fd;
}

static void add(int in, int out)
{
	const int one = 1;

	setsockopt(out, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	pipes[nr_pipes] = (struct pipe){ .in = in, .out = out };
	STAILQ_INIT(&pipes[nr_pipes].blocks);
	nr_pipes++;
}

static void take(int listener, int port)
{
	struct sockaddr_in a;
	int client, server;

	client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (client < 0)
		return;
	server = tcp(&a, port);
	if (nr_pipes == 2 * CONNECTIONS || connect(server, (struct sockaddr *)&a, sizeof(a))) {
		close(client);
		close(server);
		return;
	}
	add(client, server);
	add(server, client);
}

static void fetch(struct pipe *p)
{
	struct block *b = malloc(sizeof(*b));

	if (!b)
		die("delay: memory");
	b->len = recv(p->in, b->data, BLOCK, MSG_DONTWAIT);
	if (b->len > 0) {
		b->due = now() + half;
		b->sent = 0;
		p->held += b->len;
		STAILQ_INSERT_TAIL(&p->blocks, b, link);
		return;
	}
	if (!b->len || (errno != EAGAIN && errno != EINTR))
		p->ended = 1;
	free(b);
}

/* Pass on what is due; nanoseconds until the next is, or @wait if that is less. */
static long long deliver(struct pipe *p, long long wait)
{
	struct block *b;
	ssize_t n;

	while ((b = STAILQ_FIRST(&p->blocks))) {
		if (b->due > now())
			return b->due - now() < wait ? b->due - now() : wait;
		n = send(p->out, b->data + b->sent, b->len - b->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return wait;
		b->sent += n < 0 ? b->len - b->sent : n;
		if (n < 0)
			p->ended = 1;
		if (b->sent < b->len)
			return wait;
		p->held -= b->len;
		STAILQ_REMOVE_HEAD(&p->blocks, link);
		free(b);
	}
	if (p->ended == 1) {
		shutdown(p->out, SHUT_WR);
		p->ended = 2;
	}
	return wait;
}

/* Both directions are over: the last connection takes the place. */
static void drop_ended(void)
{
	for (int i = 0; i < nr_pipes; i += 2) {
		if (pipes[i].ended < 2 || pipes[i + 1].ended < 2)
			continue;
		close(pipes[i].in);
		close(pipes[i].out);
		nr_pipes -= 2;
		for (int j = 0; j < 2; j++) {
			if (i == nr_pipes)
				break;
			pipes[i + j] = pipes[nr_pipes + j];
			/* The list's end points into the head that moved. */
			STAILQ_INIT(&pipes[i + j].blocks);
			STAILQ_CONCAT(&pipes[i + j].blocks, &pipes[nr_pipes + j].blocks);
		}
		i -= 2;
	}
}

static short events(const struct pipe *p, long long at)
{
	const struct block *b = STAILQ_FIRST(&p->blocks);

	return b && b->due <= at ? POLLOUT : 0;
}

static void loop(int listener, int port)
{
	static struct pollfd fds[2 * CONNECTIONS + 1];
	struct timespec t;
	long long wait;
	int n;

	while (1) {
		wait = 1000000000;
		for (int i = 0; i < nr_pipes; i++)
			wait = deliver(&pipes[i], wait);
		drop_ended();
		/* The pair of a direction is its neighbour, whose @in is this one's @out. */
		for (int i = 0; i < nr_pipes; i++) {
			fds[i].fd = pipes[i].in;
			fds[i].events = events(&pipes[i ^ 1], now());
			if (!pipes[i].ended && pipes[i].held < HELD_MAX)
				fds[i].events |= POLLIN;
			if (!fds[i].events)
				fds[i].fd = -1;
		}
		n = nr_pipes;
		fds[n] = (struct pollfd){ .fd = listener, .events = POLLIN };
		t = (struct timespec){ wait / 1000000000, wait % 1000000000 };
		ppoll(fds, n + 1, &t, NULL);
		for (int i = 0; i < n; i++)
			if (fds[i].revents & (POLLIN | POLLHUP | POLLERR) && !pipes[i].ended)
				fetch(&pipes[i]);
		if (fds[n].revents & POLLIN)
			take(listener, port);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);
	int listener;

	if (argc != 3) {
		fprintf(stderr, "usage: delay MS PORT\n");
		return 2;
	}
	half = atof(argv[1]) * 500000;
	listener = tcp(&a, 0);
	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 512) ||
	    getsockname(listener, (struct sockaddr *)&a, &len))
		die("delay: listen");
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	loop(listener, atoi(argv[2]));
}
