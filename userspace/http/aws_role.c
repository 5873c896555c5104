// SPDX-License-Identifier: GPL-2.0
/*
 * Keys of a program and of a role.  A program is run as the AWS tools do: without a shell, and
 * what it says on standard error is the user's to see.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "address.h"
#include "aws.h"
#include "ini.h"
#include "sleep.h"
#include "text.h"
#include "words.h"

#define TEXT_KEYS	65536
#define ACTION		"Action=AssumeRoleWithWebIdentity&Version=2011-06-15"

static void take(struct aws *aws, char **to, const char *from, size_t len)
{
	*to = from && len ? strndup(from, len) : NULL;
	aws->incomplete |= from && len && !*to;
}

static int take_json(struct aws *aws, const char *text, size_t len, char why[HTTP_WHY])
{
	const char *id, *secret, *token;
	uint64_t version;
	json_t *root;
	int ret = json_load(text, len, "credential_process", &root, why);

	if (ret)
		return -EACCES;
	id = json_text(root, "AccessKeyId");
	secret = json_text(root, "SecretAccessKey");
	token = json_text(root, "SessionToken");
	if (!json_count(root, "Version", &version) || version != 1 || !id || !secret) {
		ret = why_fail(why, -EACCES, "credential_process: it prints no keys of Version 1");
	} else {
		take(aws, &aws->id, id, strlen(id));
		take(aws, &aws->secret, secret, strlen(secret));
		take(aws, &aws->token, token, token ? strlen(token) : 0);
	}
	json_decref(root);
	return ret;
}

/* Start a program with standard output to @out.  Return: 0 or an errno. */
static int start(char **words, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int ret;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	ret = posix_spawnp(pid, *words, &actions, &attr, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return ret;
}

/* The next bytes of a program's output, unless a signal, or @stop, ends the wait: -EINTR */
static ssize_t next_output(int fd, char *text, size_t size, int (*stop)(void))
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	while (stop && poll(&p, 1, SLEEP_ASK_MS) <= 0)
		if (stop())
			return -EINTR;
	n = read(fd, text, size);
	return n < 0 ? -errno : n;
}

/* Run a program to its end.  Return: bytes of its output; a negative errno. */
static ssize_t output(char **words, char *text, size_t size, int (*stop)(void), int *status)
{
	ssize_t n = 1;
	size_t len = 0;
	int fd[2], ret;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	ret = start(words, fd[1], &pid);
	close(fd[1]);
	for (; !ret && n > 0 && len < size; len += n > 0 ? n : 0)
		n = next_output(fd[0], text + len, size - len, stop);
	close(fd[0]);
	if (!ret && n < 0)
		kill(pid, SIGKILL);
	while (!ret && waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	if (ret)
		return -ret;
	return n < 0 ? n : (ssize_t)len;
}

static int run(struct aws *aws, char **words, char why[HTTP_WHY])
{
	char *text = malloc(TEXT_KEYS);
	int status = 0, ret = -EACCES;
	ssize_t n;

	if (!text)
		return -ENOMEM;
	n = output(words, text, TEXT_KEYS, aws->stop, &status);
	if (n == -EINTR)
		ret = n;
	if (n < 0)
		snprintf(why, HTTP_WHY, "credential_process: %.80s: %s", *words, strerror(-n));
	else if (status)
		snprintf(why, HTTP_WHY, "credential_process: %.80s: it failed, %s %d", *words,
			 WIFEXITED(status) ? "exit" : "signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	else
		ret = take_json(aws, text, n, why);
	explicit_bzero(text, TEXT_KEYS);
	free(text);
	return ret;
}

int aws_role_process(struct aws *aws, const char *command, char why[HTTP_WHY])
{
	char **words;
	int n = words_split(command, &words), ret = -EACCES;

	if (n == -ENOMEM)
		return n;
	aws->slow = true;
	snprintf(why, HTTP_WHY, "credential_process: it has no program, or a quote without an end");
	if (n > 0)
		ret = run(aws, words, why);
	if (n >= 0)
		free(words);
	return ret;
}

/* The text of an element of XML, which has no markup in it */
static void take_element(struct aws *aws, char **to, const char *xml, const char *name)
{
	const char *at = strstr(xml, name);

	if (at)
		at += strlen(name);
	take(aws, to, at, at ? strcspn(at, "<") : 0);
}

static int take_xml(struct aws *aws, char *body, size_t len, char why[HTTP_WHY])
{
	char *xml = strndup(body, len);

	explicit_bzero(body, len);
	if (!xml)
		return -ENOMEM;
	take_element(aws, &aws->id, xml, "<AccessKeyId>");
	take_element(aws, &aws->secret, xml, "<SecretAccessKey>");
	take_element(aws, &aws->token, xml, "<SessionToken>");
	secret_free(xml);
	if (aws->incomplete || (aws->id && aws->secret && aws->token))
		return 0;
	return why_fail(why, -EACCES, "STS: there are no keys in the answer");
}

/* The token of a pod, which is replaced in its file; without the end of its line */
static char *read_token(const char *path)
{
	size_t n = 0;
	char *text = text_of_file(path, TEXT_KEYS, false, &n);

	while (n && strchr(" \t\r\n", text[n - 1]))
		text[--n] = '\0';
	if (n)
		return text;
	free(text);
	return NULL;
}

/* The server of STS, and the body of the request; allocated */
static int make_request(const struct aws *aws, const char *token, const char *role,
			const char *session, char **url, char **form)
{
	const char *given = text_env("AWS_ENDPOINT_URL_STS") ?: text_env("AWS_ENDPOINT_URL");
	char *escaped = address_escape(role), *name = address_escape(session ?: "dsfs");
	char *text = address_escape(token);
	int n = -1, m = -1;

	if (escaped && name && text)
		n = asprintf(form, "%s&RoleArn=%s&RoleSessionName=%s&WebIdentityToken=%s", ACTION,
			     escaped, name, text);
	if (given)
		m = asprintf(url, "%s", given);
	else
		m = asprintf(url, "https://sts.%s.amazonaws.com/", aws->region);
	*form = n < 0 ? NULL : *form;
	*url = m < 0 ? NULL : *url;
	free(escaped);
	free(name);
	free(text);
	return *form && *url ? 0 : -ENOMEM;
}

static int ask(struct aws *aws, const struct http_object *obj, const char *url, const char *form,
	       char why[HTTP_WHY])
{
	const struct text_request q = { .what = "STS", .url = url, .form = form };
	struct http_text t;
	int ret = text_get(obj, &q, &t, aws->stop, why) ?: take_xml(aws, t.body, t.len, why);

	free(t.body);
	return ret;
}

int aws_role_web(struct aws *aws, const struct http_object *obj, const char *file,
		 const char *role, const char *session, char why[HTTP_WHY])
{
	char *token = read_token(file), *url = NULL, *form = NULL;
	int ret = -EACCES;

	aws->slow = true;
	if (!token)
		snprintf(why, HTTP_WHY, "web identity: there is no token in %.100s", file);
	else if (!role)
		snprintf(why, HTTP_WHY, "web identity: there is no role: AWS_ROLE_ARN or role_arn");
	else
		ret = make_request(aws, token, role, session, &url, &form) ?:
		      ask(aws, obj, url, form, why);
	secret_free(form);
	free(url);
	free(token);
	return ret;
}
