// Follows from docs/webhooks.md by `npm run generate`: changes made by hand are lost there.

/** Functions that verify the signature of a webhook, as the documentation has them. */
export const receiverSnippets = [
  {
    name: "JavaScript",
    code: `import { createHmac, timingSafeEqual } from "node:crypto";

/** \`headers\` as Node and Express have them; \`body\` is the raw bytes, in Express from \`express.raw()\`. */
export function verify(secret, headers, body) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  if (!/^\\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - timestamp) > 300) return false;
  const hmac = createHmac("sha256", Buffer.from(secret, "base64"));
  const expected = \`v1,\${hmac.update(\`\${id}.\${timestamp}.\`).update(body).digest("base64")}\`;
  const signatures = String(headers["webhook-signature"]).split(" ");
  return signatures.some((signature) => isSame(signature, expected));
}

/** The signature of the body alone. */
export function verifyBody(secret, headers, body) {
  const expected = createHmac("sha256", secret).update(body).digest("hex");
  return isSame(String(headers["x-service-signature"]), expected);
}

function isSame(text, expected) {
  const [left, right] = [Buffer.from(text), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
`,
  },
  {
    name: "Python",
    code: `import base64
import hmac
import re
import time


def verify(secret, headers, body):
    """\`headers\` find names in any case (Flask, Django, FastAPI); \`body\` is the raw bytes."""
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    digest = hmac.digest(base64.b64decode(secret), signed, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(signature, expected) for signature in signatures)


def verify_body(secret, headers, body):
    """The signature of the body alone."""
    expected = hmac.new(secret.encode(), body, "sha256").hexdigest().encode()
    return hmac.compare_digest(headers.get("x-service-signature", "").encode(), expected)
`,
  },
  {
    name: "PHP",
    code: `<?php

/** \`$headers\` from \`getallheaders()\`, \`$body\` from \`file_get_contents('php://input')\`. */
function verify(string $secret, array $headers, string $body): bool
{
    $headers = array_change_key_case($headers);
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $digest = hash_hmac('sha256', "$id.$timestamp.$body", base64_decode($secret), true);
    $expected = 'v1,' . base64_encode($digest);
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

/** The signature of the body alone. */
function verifyBody(string $secret, array $headers, string $body): bool
{
    $signature = array_change_key_case($headers)['x-service-signature'] ?? '';
    return hash_equals(hash_hmac('sha256', $body, $secret), $signature);
}
`,
  },
  {
    name: "Go",
    code: `package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Verify takes r.Header.Get as header, and as body what io.ReadAll(r.Body) gives.
func Verify(secret string, header func(string) string, body []byte) bool {
	timestamp := header("webhook-timestamp")
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	if now := time.Now().Unix(); err != nil || sent < now-300 || sent > now+300 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(secret)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header("webhook-id") + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Split(header("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), expected) {
			return true
		}
	}
	return false
}

// VerifyBody checks the signature of the body alone.
func VerifyBody(secret string, header func(string) string, body []byte) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	expected := hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(header("x-service-signature")), []byte(expected))
}
`,
  },
  {
    name: "Java",
    code: `import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Takes {@code request::getHeader} as header, and the raw bytes of the body. Java 17 or newer. */
final class Webhooks {
    static boolean verify(String secret, UnaryOperator<String> header, byte[] body)
            throws GeneralSecurityException {
        String timestamp = String.valueOf(header.apply("webhook-timestamp"));
        if (!timestamp.matches("[0-9]{1,12}")) return false;
        long age = Instant.now().getEpochSecond() - Long.parseLong(timestamp);
        if (Math.abs(age) > 300) return false;
        String before = header.apply("webhook-id") + "." + timestamp + ".";
        byte[] digest = hmac(Base64.getDecoder().decode(secret), before.getBytes(UTF_8), body);
        String expected = "v1," + Base64.getEncoder().encodeToString(digest);
        for (String signature : String.valueOf(header.apply("webhook-signature")).split(" ")) {
            if (isSame(signature, expected)) return true;
        }
        return false;
    }

    /** The signature of the body alone. */
    static boolean verifyBody(String secret, UnaryOperator<String> header, byte[] body)
            throws GeneralSecurityException {
        String expected = HexFormat.of().formatHex(hmac(secret.getBytes(UTF_8), new byte[0], body));
        return isSame(String.valueOf(header.apply("x-service-signature")), expected);
    }

    private static byte[] hmac(byte[] key, byte[] before, byte[] body)
            throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update(before);
        return mac.doFinal(body);
    }

    private static boolean isSame(String text, String expected) {
        return MessageDigest.isEqual(text.getBytes(UTF_8), expected.getBytes(UTF_8));
    }
}
`,
  },
] as const;
