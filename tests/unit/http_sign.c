// SPDX-License-Identifier: GPL-2.0
/*
 * Sums and signatures of requests, compared with published ones: examples of SHA-256 in FIPS
 * 180-4, of HMAC in RFC 4231, and of the GET of an object in AWS' description of Signature
 * Version 4 for S3.  AWS' test suite is not used: it signs headers that S3 does not have.
 */
#include <stdlib.h>

#include "../../userspace/http/hash.h"
#include "sigv4.h"
#include "tap.h"

static bool has_sum(const uint8_t sum[HASH_BYTES], const char *want)
{
	char text[HASH_HEX];

	hash_hex(sum, text);
	if (strcmp(text, want))
		tap_note("%s, expected %s", text, want);
	return !strcmp(text, want);
}

static void test_sha256(void)
{
	static const struct {
		const char *of;
		const char *sum;
	} cases[] = {
		{ "abc",
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
		{ "", SIGV4_NO_BODY },
	};
	uint8_t sum[HASH_BYTES];
	char *million = malloc(1000000);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		hash_sha256(cases[i].of, strlen(cases[i].of), sum);
		OK(has_sum(sum, cases[i].sum), "SHA-256 of %zu bytes", strlen(cases[i].of));
	}
	memset(million, 'a', 1000000);
	hash_sha256(million, 1000000, sum);
	OK(has_sum(sum, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
	   "SHA-256 of a million bytes");
	free(million);
}

/* @key: bytes of a key, all of them @byte, or the text @word */
static void test_hmac(const char *word, int byte, size_t key, const char *data, const char *want)
{
	uint8_t bytes[131], sum[HASH_BYTES];

	memset(bytes, byte, sizeof(bytes));
	hash_hmac(word ? (const void *)word : bytes, key, data, strlen(data), sum);
	OK(has_sum(sum, want), "HMAC with a key of %zu bytes", key);
}

static void test_get_object(void)
{
	const struct sigv4 s = {
		.host = "examplebucket.s3.amazonaws.com", .path = "/test.txt", .path_len = 9,
		.region = "us-east-1", .service = "s3", .id = "AKIAIOSFODNN7EXAMPLE",
		.secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", .range = "bytes=0-9",
	};
	static const char want[] =
		"AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
		"SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
		"Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
	char date[SIGV4_DATE], *header;

	sigv4_date(1369353600, date);
	OK(!strcmp(date, "20130524T000000Z"), "the date of AWS's example");
	header = sigv4_header(&s, date);
	OK(header && !strcmp(header, want), "AWS's GET of an object");
	if (header && strcmp(header, want))
		tap_note("%s", header);
	free(header);
}

TESTS(signatures)
{
	test_sha256();
	test_hmac(NULL, 0x0b, 20, "Hi There",
		  "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	test_hmac("Jefe", 0, 4, "what do ya want for nothing?",
		  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	test_hmac(NULL, 0xaa, 131, "Test Using Larger Than Block-Size Key - Hash Key First",
		  "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
	test_get_object();
}
