// JSON as the server reads it: RFC 8785 text, digests, and a reader that loses no digit.
import { createHash } from "node:crypto";

export const COVERED = ["function", "arguments", "code", "action_type", "environment", "content"];
const MAX_DEPTH = 64;
const MAX_INTEGER = 10n ** 40n;

// canonical is the RFC 8785 text of a value, with all digits of a bigint that no double holds.
export function canonical(value) {
  return write(value, "", 0);
}

function write(value, at, depth) {
  const cannot = (why) => new TypeError(`${at || "the value"}: ${why}`);
  switch (typeof value) {
    case "boolean":
      return String(value);
    case "string":
      return text(value, cannot);
    case "number":
      if (!Number.isFinite(value)) throw cannot(`${value} is not JSON`);
      if (Object.is(value, -0)) throw cannot("minus zero loses its sign; send 0");
      return String(value); // RFC 8785 takes ECMAScript's own form
    case "bigint":
      return integer(value, cannot);
    case "object":
      if (value === null) return "null";
      if (depth >= MAX_DEPTH) throw cannot(`more than ${MAX_DEPTH} levels cannot be sent`);
      if (Array.isArray(value)) return `[${Array.from(value, (v, i) => write(v, `${at}/${i}`, depth + 1)).join(",")}]`;
      if (plain(value)) {
        const names = Object.keys(value).filter((name) => value[name] !== undefined).sort(); // by UTF-16 code units
        return `{${names.map((name) => `${text(name, cannot)}:${write(value[name], `${at}/${name}`, depth + 1)}`).join(",")}}`;
      }
  }
  throw cannot(`${value?.constructor?.name ?? typeof value} is not JSON; send text, numbers, lists or plain objects`);
}

function text(s, cannot) {
  if (!s.isWellFormed()) throw cannot("text with half a surrogate pair cannot be sent");
  return JSON.stringify(s);
}

function integer(n, cannot) {
  if (n >= MAX_INTEGER || n <= -MAX_INTEGER) throw cannot("integers of more than 40 digits cannot be sent; send text");
  const digits = String(n);
  const short = String(Number(n));
  return short.includes("e") && whole(short) === n ? short : digits; // below 1e21 both forms are the same, or no double is it
}

// plain is an object literal, of whatever realm: what has a class of its own is not JSON.
function plain(value) {
  const made = Object.getPrototypeOf(value);
  return made === null || Object.getPrototypeOf(made) === null;
}

// copy is what is asked for, out of the reach of whoever might change it while people read.
export function copy(value) {
  if (Array.isArray(value)) return Array.from(value, copy);
  if (value === null || typeof value !== "object" || !plain(value)) return value;
  const made = {};
  for (const name of Object.keys(value)) if (value[name] !== undefined) put(made, name, copy(value[name]));
  return made;
}

function put(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true }); // __proto__, too
}

// decimal is a number's text as its sign, its significant digits and where the point is.
function decimal(literal) {
  const [mantissa, exponent = "0"] = literal.replace(/^-/, "").toLowerCase().split("e");
  const [before, after = ""] = mantissa.split(".");
  const digits = (before + after).replace(/^0+/, "");
  const point = digits ? before.length - (before.length + after.length - digits.length) + Number(exponent) : 0;
  return { digits: digits.replace(/0+$/, ""), point, negative: literal.startsWith("-") };
}

// whole is the integer that a number's text denotes, or null.
function whole(literal) {
  const { digits, point, negative } = decimal(literal);
  if (point < digits.length || point > 40) return digits === "" ? 0n : null;
  const n = BigInt(digits.padEnd(point, "0"));
  return negative ? -n : n;
}

// parse reads JSON strictly: no name twice, no number that would change. Integers beyond
// ±(2^53−1) are bigint with all digits, also those written like 1e+21.
export function parse(source) {
  let at = 0;
  const wrong = (what) => new SyntaxError(`${what} at ${at}`);
  const space = () => {
    while (" \t\n\r".includes(source[at] ?? "x")) at++;
  };
  const take = (c) => source[at] === c && ++at > 0;

  function string() {
    let end = at + 1;
    for (; source[end] !== '"'; end++) {
      if (!(source.charCodeAt(end) >= 32)) throw wrong("text that does not end");
      if (source[end] === "\\") end++;
    }
    const read = JSON.parse(source.slice(at, end + 1));
    at = end + 1;
    return read;
  }

  function number() {
    const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    literal.lastIndex = at;
    const found = literal.exec(source)?.[0];
    if (!found) throw wrong("no JSON value");
    at += found.length;
    const value = Number(found);
    if (Object.is(value, -0)) throw wrong("minus zero");
    const [a, b] = [decimal(found), decimal(String(value))];
    const same = Number.isFinite(value) && a.digits === b.digits && a.point === b.point;
    if (same && (Number.isSafeInteger(value) || !Number.isInteger(value))) return value;
    if (!same && /[.eE]/.test(found)) throw wrong("a number that loses precision");
    const n = whole(found);
    if (n === null) throw wrong("an integer of more than 40 digits");
    return n;
  }

  function value(depth) {
    if (depth > 4 * MAX_DEPTH) throw wrong("nested too deep");
    space();
    if (source[at] === '"') return string();
    if (take("[")) {
      const list = [];
      for (space(); !take("]"); space()) {
        if (list.length && !take(",")) throw wrong("no comma");
        list.push(value(depth + 1));
      }
      return list;
    }
    if (take("{")) {
      const object = {};
      let first = true;
      for (space(); !take("}"); space(), first = false) {
        if (!first && !take(",")) throw wrong("no comma");
        space();
        if (source[at] !== '"') throw wrong("no name");
        const name = string();
        if (Object.hasOwn(object, name)) throw wrong("a name that comes twice");
        space();
        if (!take(":")) throw wrong("no colon");
        put(object, name, value(depth + 1));
      }
      return object;
    }
    for (const [word, meant] of [["true", true], ["false", false], ["null", null]]) {
      if (source.startsWith(word, at)) {
        at += word.length;
        return meant;
      }
    }
    return number();
  }

  const read = value(0);
  space();
  if (at < source.length) throw wrong("something after the value");
  return read;
}

export function valueDigest(value) {
  return "sha256:" + createHash("sha256").update(canonical(value)).digest("hex");
}

// digest is that of an act: what a grant binds and consume names. Members that it does not
// cover are refused: nobody approves them.
export function digest(act) {
  if (act === null || typeof act !== "object" || Array.isArray(act)) throw new TypeError("an act is an object");
  const other = Object.keys(act).find((name) => !COVERED.includes(name));
  if (other !== undefined) throw new TypeError(`the digest does not cover ${other}; pass only ${COVERED.join(", ")}`);
  const there = actOf(act);
  if (!Object.keys(there).length) throw new TypeError("the act has no members, so there is nothing to run");
  return valueDigest(there);
}

// actOf is the part of a whole action that a digest covers.
export function actOf(action) {
  return Object.fromEntries(COVERED.filter((name) => Object.hasOwn(action, name) && action[name] != null).map((name) => [name, action[name]]));
}
