# SPDX-License-Identifier: GPL-2.0
"""AWS Signature Version 4, as a server checks it: from what it got, by AWS's description."""
import hashlib
import hmac
import re

FORM = re.compile(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?"
                  r"SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$")


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def is_signed(request, keys, region):
    """Whether a request is signed with one of the keys, {id: (secret, token)}."""
    match = FORM.match(request.headers.get("authorization", ""))
    if not match or match[1] not in keys or match[3] != region:
        return False
    ident, day, _region, names, signature = match.groups()
    secret, token = keys[ident]
    headers = request.headers
    if headers.get("x-amz-security-token") != token:
        return False
    names = names.split(";")
    if names != sorted(names) or "host" not in names or \
       any(name.startswith("x-amz-") and name not in names for name in headers):
        return False
    stamp = headers["x-amz-date"]
    canonical = "\n".join([request.method, request.path, request.query,
                           *(f"{name}:{headers[name]}" for name in names), "", ";".join(names),
                           headers["x-amz-content-sha256"]])
    scope = f"{day}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in day, region, "s3", "aws4_request":
        key = mac(key, part)
    return stamp.startswith(day) and \
        hmac.compare_digest(mac(key, text).hex(), signature)
