// SPDX-License-Identifier: GPL-2.0
/*
 * handles - file handles that outlive a mount.
 *
 *   handles save DIR FILE	write a handle of each object below DIR to FILE
 *   handles open DIR FILE	try them there
 *
 * A handle of one generation of an image must give an error in another one, and never
 * open another file.  Prints how many handles opened the object that they were made of,
 * how many another one, how many were stale, and how many failed otherwise.
 */
#include "lib.h"

/* One record of the file. */
struct saved {
	struct stat st;
	struct file_handle h;
	unsigned char bytes[MAX_HANDLE_SZ];
};

static FILE *file;

static void save(const struct t_object *o)
{
	struct saved s = { .st = o->st, .h.handle_bytes = MAX_HANDLE_SZ };
	int mount_id;

	if (name_to_handle_at(o->dir, o->name, &s.h, &mount_id, 0))
		t_die(o->path, "name_to_handle_at");
	if (fwrite(&s, sizeof(s), 1, file) != 1)
		t_die("handles", "write");
}

static void open_all(const char *dir)
{
	unsigned long same = 0, other = 0, stale = 0, failed = 0;
	int root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct saved s;
	struct stat st;

	if (root < 0)
		t_die(dir, "open");
	while (fread(&s, sizeof(s), 1, file) == 1) {
		int fd = open_by_handle_at(root, &s.h, O_PATH | O_CLOEXEC);

		if (fd < 0) {
			stale += errno == ESTALE;
			failed += errno != ESTALE;
			continue;
		}
		if (fstat(fd, &st))
			t_die(dir, "fstat");
		if (st.st_ino == s.st.st_ino && st.st_mode == s.st.st_mode &&
		    st.st_size == s.st.st_size &&
		    !memcmp(&st.st_mtim, &s.st.st_mtim, sizeof(st.st_mtim)))
			same++;
		else
			other++;
		close(fd);
	}
	printf("same=%lu other=%lu stale=%lu failed=%lu\n", same, other, stale, failed);
	close(root);
}

int main(int argc, char **argv)
{
	bool saving = argc == 4 && !strcmp(argv[1], "save");

	t_init("handles");
	if (argc != 4 || (!saving && strcmp(argv[1], "open")))
		t_usage("save|open DIR FILE");
	file = fopen(argv[3], saving ? "we" : "re");
	if (!file)
		t_die(argv[3], "open");
	if (saving)
		t_walk(&(struct t_walk){ .root = argv[2], .visit = save });
	else
		open_all(argv[2]);
	if (fclose(file))
		t_die(argv[3], "write");
	return 0;
}
