# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # out and dir are set by lib.sh
#
# An image as an object of Ceph's RADOS gateway, which knows S3: what reads it here has no
# code with the gateway in common, so a signature that both agree on is one of S3.  The object
# comes there by s3cmd.
#
# To be sourced by tests/rbd/run.

s3_object='sets/a b/i+j=(1)~é.dsfs'
s3_key=AKIDTEST
s3_secret='s3cr/et+key='

# with_keys CMD...: in the namespace, with the keys and the server as AWS's tools take them
with_keys()
{
	AWS_ACCESS_KEY_ID=$s3_key AWS_SECRET_ACCESS_KEY=$s3_secret \
		AWS_ENDPOINT_URL=http://10.77.0.1:7480 in_ns "$@"
}

by_s3cmd()
{
	in_ns s3cmd -q -c /dev/null --access_key="$s3_key" --secret_key="$s3_secret" --no-ssl \
		--host=10.77.0.1:7480 --host-bucket=10.77.0.1:7480 "$@" >>"$out/s3cmd" 2>&1
}

# GETs of the object that the gateway has answered
gets()
{
	grep -c '"GET /sets/.* 206 ' "$dir/log/rgw.log" || true
}

listed_by_s3()
{
	with_keys build/dsfs digest --full --text "s3://$s3_object" | cmp - "$out/list.dump"
}

# refused WORDS CMD...: it fails, and says so
refused()
{
	local words=$1

	shift
	! "$@" 2>"$out/refused" && grep -qF -- "$words" "$out/refused" && return
	as_comments <"$out/refused"
	return 1
}

read_by_s3()
{
	local before requests

	build/dsfs digest --full --text "$out/dsfs.img" >"$out/list.dump"
	cluster rgw-start
	in_ns radosgw-admin user create --uid=u --display-name=u --access-key="$s3_key" \
		--secret-key="$s3_secret" >"$out/user" 2>&1
	by_s3cmd mb s3://sets
	by_s3cmd put "$out/dsfs.img" "s3://$s3_object"
	check "an object of the gateway is listed as the image is" listed_by_s3
	check "and is right, file by file" with_keys build/fsck.dsfs -q "s3://$s3_object"
	before=$(gets)
	check "and extracted" with_keys build/dsfs extract "s3://$s3_object" "$out/s3"
	requests=$(($(gets) - before))
	echo "# $files files extracted: $requests requests, opening included"
	check "to what was packed" diff -r "$out/tree" "$out/s3"
	check "in a request a file, and few for all names" \
		[ $((requests >= files && requests <= files + 10)) -eq 1 ]
	s3_secret=other check "a wrong key: the gateway's word" \
		refused 'SignatureDoesNotMatch' with_keys build/dump.dsfs "s3://$s3_object"
	check "no key, and the object is not public: it says so" refused 'AccessDenied' \
		with_keys build/dump.dsfs --source=anonymous "s3://$s3_object"
	check "an object that is not there" refused 'NoSuchKey' \
		with_keys build/dump.dsfs "s3://sets/none"
	cluster rgw-stop
}
