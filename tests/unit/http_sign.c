// SPDX-License-Identifier: GPL-2.0
/*
 * The signature of a request, compared with a published one: the GET of an object in AWS'
 * description of Signature Version 4 for S3.  AWS' test suite is not used: it signs headers that S3
 * does not have.  Keys and requests of all kinds are checked by other code in tests/http.
 */
#include "sigv4.h"
#include "tap.h"

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
	test_get_object();
}
