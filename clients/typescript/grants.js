// Grants: what an approved action comes with, verified without asking the server (docs/grants.md).
import { createPublicKey, verify } from "node:crypto";

import { parse } from "./canon.js";
import { Unproven } from "./errors.js";

function decode(part) {
  const raw = Buffer.from(part, "base64url");
  if (!raw.length || raw.toString("base64url") !== part) throw new Unproven("token", "a part of the grant is not base64url");
  return raw;
}

// members reads a JSON object with exactly these: one more might be a condition.
function members(raw, ...names) {
  let read;
  try {
    read = parse(new TextDecoder("utf-8", { fatal: true }).decode(raw));
  } catch (e) {
    throw new Unproven("token", `the grant cannot be read: ${e.message}`);
  }
  if (read === null || typeof read !== "object" || Object.keys(read).sort().join() !== names.sort().join()) {
    throw new Unproven("token", `the grant must have exactly the members ${names.join(", ")}`);
  }
  return read;
}

export function findKey(jwks, kid) {
  if (!Array.isArray(jwks?.keys)) throw new Unproven("keys", "the keys are not a JWK set");
  const found = jwks.keys.find((k) => k?.kid === kid && k.kty === "OKP" && k.crv === "Ed25519" && typeof k.x === "string");
  return found ? { kty: "OKP", crv: "Ed25519", x: found.x } : null;
}

// keyID is the id of the key that signed a grant. Nothing else in it is believed yet.
export function keyID(token) {
  const parts = typeof token === "string" && token.length <= 8192 ? token.split(".") : [];
  if (parts.length !== 3) throw new Unproven("token", "the grant does not have three parts");
  const header = members(decode(parts[0]), "alg", "kid", "typ");
  if (header.alg !== "EdDSA" || header.typ !== "JWT" || typeof header.kid !== "string" || !header.kid) {
    throw new Unproven("token", "the grant is not signed with EdDSA");
  }
  return header.kid;
}

// verifyGrant answers the claims of a grant that is good for this digest, or throws Unproven.
// It does not prove that the grant was not spent before: consume does.
export function verifyGrant(token, digest, { jwks, issuer, tenant, agent, approval, now = Date.now() / 1000 }) {
  const key = findKey(jwks, keyID(token));
  if (!key) throw new Unproven("key", "the grant is signed with an unknown key");
  const [header, payload, signature] = token.split(".");
  const read = decode(payload);
  let good = false;
  try {
    good = verify(null, Buffer.from(`${header}.${payload}`), createPublicKey({ key, format: "jwk" }), decode(signature));
  } catch (e) {
    if (e instanceof Unproven) throw e;
  }
  if (!good) throw new Unproven("signature", "the signature of the grant does not fit");
  const claims = members(read, "iss", "sub", "tenant", "agent", "digest", "exp", "jti");
  if (!Number.isSafeInteger(claims.exp)) throw new Unproven("token", "exp of the grant is not a number of seconds");
  for (const [check, claim, want] of [["issuer", "iss", issuer], ["tenant", "tenant", tenant], ["agent", "agent", agent], ["approval", "sub", approval]]) {
    if (want !== undefined && claims[claim] !== want) throw new Unproven(check, `the grant is for ${check} ${claims[claim]}, expected ${want}`);
  }
  if (now >= claims.exp) throw new Unproven("expired", "the grant has expired by this machine's clock");
  if (claims.digest !== digest) throw new Unproven("digest", `the grant is for ${claims.digest}, and ${digest} is about to run`);
  return claims;
}
