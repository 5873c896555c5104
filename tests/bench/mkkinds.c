// SPDX-License-Identifier: GPL-2.0
/*
 * mkkinds - make a data set of one kind, for what compression saves of it.
 *
 *	mkkinds KIND MIB DIR
 *
 * What a codec saves hangs on what the bytes mean, so random bytes will not do.  Each kind has
 * the layout of its format, the precision that its instruments have, and their noise, which no
 * codec removes:
 *
 *   json   annotations of pictures: boxes, polygons, captions; 2 to 30 KB
 *   npy    float32 arrays of 3 x 128 x 128: pictures of 8 bits, normalised
 *   feat   float32 arrays of 16 x 1024, normally distributed: features of a network
 *   lidar  64 rings of points, x y z intensity as float32, in millimetres; 2 MB
 *   dicom  slices of 512 x 512 of a tomograph, 16 bits, not compressed
 *   wav    speech-like sound, mono, 16 kHz, 16 bits; 3 to 12 s
 *
 * The same arguments make the same files.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PER_DIR	256
#define TURN	6.283185307179586

static uint64_t state;

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint64_t)(uint32_t)(state >> 32) * below >> 32;
}

static double between(double from, double to)
{
	return from + (to - from) * draw(1u << 30) / (1u << 30);
}

/* Normally distributed, nearly: twelve draws, of which the variance is one */
static double noise(double deviation)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += draw(1u << 16) / 65536.0;
	return deviation * sum;
}

static void put_le(FILE *f, uint32_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		putc(value >> 8 * i & 255, f);
}

static void put_float(FILE *f, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_le(f, bits, sizeof(bits));
}

static void put_polygon(FILE *f, double x, double y)
{
	int n = 8 + draw(40);

	for (int i = 0; i < n; i++) {
		x += noise(6);
		y += noise(6);
		fprintf(f, "%s%.2f,%.2f", i ? "," : "", fabs(x), fabs(y));
	}
}

static void put_caption(FILE *f)
{
	static const char * const words[] = {
		"a", "man", "woman", "dog", "on", "the", "street", "with", "red", "bicycle", "in",
		"front", "of", "an", "old", "building", "and", "two", "people", "sitting", "table",
		"plate", "food", "next", "to", "glass", "water", "train", "station", "grass",
		"field", "standing", "holding", "umbrella", "black", "cat", "window", "near", "car",
	};
	int n = 6 + draw(10);

	for (int i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? " " : "", words[draw(sizeof(words) / sizeof(*words))]);
}

static void json(FILE *f, unsigned int number)
{
	int n = 2 + draw(40);

	fprintf(f, "{\"file_name\":\"%012u.jpg\",\"width\":640,\"height\":%d,\"license\":%d,"
		"\"caption\":\"", number * 37 + draw(37), 360 + (int)draw(120), (int)draw(8));
	put_caption(f);
	fprintf(f, ".\",\"annotations\":[");
	for (int i = 0; i < n; i++) {
		double x = between(0, 500), y = between(0, 380);

		fprintf(f, "%s{\"id\":%u,\"category_id\":%d,\"iscrowd\":0,\"area\":%.4f,"
			"\"bbox\":[%.2f,%.2f,%.2f,%.2f],\"segmentation\":[[", i ? "," : "",
			1000000 + draw(9000000), (int)draw(90), between(100, 60000), x, y,
			between(4, 140), between(4, 100));
		put_polygon(f, x, y);
		fprintf(f, "]]}");
	}
	fprintf(f, "]}\n");
}

static void npy_header(FILE *f, const char *shape)
{
	char text[120];
	int len = snprintf(text, sizeof(text),
			   "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", shape);

	fwrite("\x93NUMPY\x01\x00", 1, 8, f);
	put_le(f, 118, 2);
	fprintf(f, "%s%*s\n", text, 117 - len, "");
}

static void npy(FILE *f, unsigned int number)
{
	static const float mean[] = { 0.485f, 0.456f, 0.406f };
	static const float deviation[] = { 0.229f, 0.224f, 0.225f };

	npy_header(f, "3, 128, 128");
	for (int c = 0; c < 3; c++) {
		double a = between(0.02, 0.12), b = between(0.02, 0.12), phase = number + c, v;

		for (int i = 0; i < 128 * 128; i++) {
			v = 128 + 70 * sin(a * (i % 128) + phase) * cos(b * (i / 128.0));
			v = (int)fmin(fmax(v + noise(5), 0), 255) / 255.0;
			put_float(f, (v - mean[c]) / deviation[c]);
		}
	}
}

static void feat(FILE *f, unsigned int number)
{
	(void)number;
	npy_header(f, "16, 1024");
	for (int i = 0; i < 16 * 1024; i++)
		put_float(f, noise(1) * between(0.9, 1.1));
}

/* Ground, and walls at a distance that changes with the direction */
static void lidar(FILE *f, unsigned int number)
{
	for (int ring = 0; ring < 64; ring++) {
		double down = (2.0 - ring * 0.42) * TURN / 360;

		for (int step = 0; step < 1900; step++) {
			double turn = step * TURN / 1900, range, flat;

			range = 18 + 12 * sin(3 * turn + number);
			range += 4 * floor(2 * sin(7 * turn + number));
			if (down < 0)
				range = fmin(range, 1.73 / -sin(down));
			if (draw(10) == 0)
				continue;
			range += noise(0.015);
			flat = range * cos(down);
			put_float(f, rint(flat * cos(turn) * 1000) / 1000);
			put_float(f, rint(flat * sin(turn) * 1000) / 1000);
			put_float(f, rint(range * sin(down) * 1000) / 1000);
			put_float(f, draw(8) ? draw(45) / 100.0f : 0);
		}
	}
}

static void dicom_text(FILE *f, unsigned int group, unsigned int element, const char *type,
		       const char *text)
{
	put_le(f, group, 2);
	put_le(f, element, 2);
	fwrite(type, 1, 2, f);
	put_le(f, (strlen(text) + 1) & ~1u, 2);
	fprintf(f, "%s%s", text, strlen(text) % 2 ? " " : "");
}

static void dicom_number(FILE *f, unsigned int group, unsigned int element, unsigned int value)
{
	put_le(f, group, 2);
	put_le(f, element, 2);
	fwrite("US", 1, 2, f);
	put_le(f, 2, 2);
	put_le(f, value, 2);
}

static void dicom_header(FILE *f, unsigned int number)
{
	char uid[64];

	for (int i = 0; i < 128; i++)
		putc(0, f);
	fwrite("DICM", 1, 4, f);
	dicom_text(f, 2, 0x10, "UI", "1.2.840.10008.1.2.1");
	dicom_text(f, 8, 0x16, "UI", "1.2.840.10008.5.1.4.1.1.2");
	snprintf(uid, sizeof(uid), "2.25.%u.%u.%u", draw(1u << 30), draw(1u << 30), number);
	dicom_text(f, 8, 0x18, "UI", uid);
	dicom_text(f, 8, 0x60, "CS", "CT");
	dicom_number(f, 0x28, 0x02, 1);
	dicom_text(f, 0x28, 0x04, "CS", "MONOCHROME2");
	dicom_number(f, 0x28, 0x10, 512);
	dicom_number(f, 0x28, 0x11, 512);
	dicom_number(f, 0x28, 0x100, 16);
	dicom_number(f, 0x28, 0x101, 12);
	dicom_number(f, 0x28, 0x102, 11);
	dicom_number(f, 0x28, 0x103, 0);
	put_le(f, 0x7fe0, 2);
	put_le(f, 0x10, 2);
	fwrite("OW\0\0", 1, 4, f);
	put_le(f, 512 * 512 * 2, 4);
}

/* A body with organs in air, in Hounsfield units from -1024 on, and what is out of the bore */
static void dicom(FILE *f, unsigned int number)
{
	double organ[6][4];

	dicom_header(f, number);
	for (int i = 0; i < 6; i++) {
		organ[i][0] = between(-110, 110);
		organ[i][1] = between(-70, 70);
		organ[i][2] = between(15, 60);
		organ[i][3] = between(-700, 900);
	}
	for (int i = 0; i < 512 * 512; i++) {
		double x = i % 512 - 256, y = i / 512 - 256, v = 24;

		if (x * x + y * y > 250 * 250) {
			put_le(f, 0, 2);
			continue;
		}
		if (x * x / (190 * 190) + y * y / (130 * 130) < 1)
			v = 1064;
		for (int k = 0; v > 1000 && k < 6; k++) {
			if (hypot(x - organ[k][0], y - organ[k][1]) < organ[k][2])
				v = 1024 + organ[k][3];
		}
		put_le(f, fmin(fmax(v + noise(12), 0), 4095), 2);
	}
}

static void wav_header(FILE *f, uint32_t samples)
{
	fwrite("RIFF", 1, 4, f);
	put_le(f, 36 + 2 * samples, 4);
	fwrite("WAVEfmt ", 1, 8, f);
	put_le(f, 16, 4);
	put_le(f, 1, 2);
	put_le(f, 1, 2);
	put_le(f, 16000, 4);
	put_le(f, 32000, 4);
	put_le(f, 2, 2);
	put_le(f, 16, 2);
	fwrite("data", 1, 4, f);
	put_le(f, 2 * samples, 4);
}

/* Syllables of a voice with its harmonics, hisses, and pauses with the noise of a room */
static void wav(FILE *f, unsigned int number)
{
	uint32_t samples = 48000 + draw(144000), end = 0;
	double pitch = 0, loud = 0, hiss = 0, phase = 0;

	(void)number;
	wav_header(f, samples);
	for (uint32_t i = 0; i < samples; i++) {
		double v = noise(8);

		if (i >= end) {
			end = i + 1600 + draw(3200);
			pitch = between(90, 220);
			loud = draw(4) ? between(500, 5000) : 0;
			hiss = draw(4) ? 0 : between(100, 800);
		}
		phase += pitch * TURN / 16000;
		for (int k = 1; loud > 0 && k < 12; k++)
			v += loud / (k * k) * sin(k * phase) * fmin(1, (end - i) / 800.0);
		if (hiss > 0)
			v += noise(hiss);
		put_le(f, (int)fmin(fmax(v, -32768), 32767), 2);
	}
}

static const struct kind {
	const char *name, *suffix;
	void (*write)(FILE *f, unsigned int number);
} kinds[] = {
	{ "json", "json", json }, { "npy", "npy", npy }, { "feat", "npy", feat },
	{ "lidar", "bin", lidar }, { "dicom", "dcm", dicom }, { "wav", "wav", wav },
};

static void die(const char *path)
{
	fprintf(stderr, "mkkinds: %s: %s\n", path, strerror(errno));
	exit(1);
}

static uint64_t write_one(const struct kind *kind, const char *dir, unsigned int number)
{
	char path[4096];
	long bytes;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%03u", dir, number / PER_DIR);
	if (number % PER_DIR == 0 && mkdir(path, 0777))
		die(path);
	snprintf(path, sizeof(path), "%s/%03u/%06u.%s", dir, number / PER_DIR, number,
		 kind->suffix);
	f = fopen(path, "w");
	if (!f)
		die(path);
	state = number + 1;
	draw(1);
	kind->write(f, number);
	bytes = ftell(f);
	if (bytes < 0 || fclose(f))
		die(path);
	return bytes;
}

int main(int argc, char **argv)
{
	const struct kind *kind = kinds, *end = kinds + sizeof(kinds) / sizeof(*kinds);
	uint64_t bytes = 0;

	while (argc == 4 && kind < end && strcmp(argv[1], kind->name))
		kind++;
	if (argc != 4 || kind == end) {
		fprintf(stderr, "usage: mkkinds json|npy|feat|lidar|dicom|wav MIB DIR\n");
		return 2;
	}
	if (mkdir(argv[3], 0777))
		die(argv[3]);
	for (unsigned int n = 0; bytes >> 20 < strtoul(argv[2], NULL, 10); n++)
		bytes += write_one(kind, argv[3], n);
	return 0;
}
