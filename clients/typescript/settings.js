// Where the server is and who asks: arguments, environment, then a file that only its owner reads.
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

import { CountersignError } from "./errors.js";

// load gives url, key and, from the file, ca and wait_seconds. Arguments come first, then
// COUNTERSIGN_URL and COUNTERSIGN_KEY, then the file, which must have mode 0600: it holds a key.
export function load(url, key) {
  const file = url && key ? {} : read();
  if (file.key && !(key || process.env.COUNTERSIGN_KEY) && (url || process.env.COUNTERSIGN_URL || file.url) !== file.url) {
    throw new CountersignError("the address is that of another server than the settings name, and their key is for that server alone; give the key, too");
  }
  const found = { ...file, url: url || process.env.COUNTERSIGN_URL || file.url, key: key || process.env.COUNTERSIGN_KEY || file.key };
  for (const name of ["url", "key"]) {
    if (typeof found[name] !== "string" || !found[name]) {
      throw new CountersignError(`no ${name}: set COUNTERSIGN_${name.toUpperCase()}, or write it into ~/.config/countersign/config.json`);
    }
  }
  if (!/^csk_[a-z][a-z0-9-]*_[A-Za-z0-9_-]+$/.test(found.key)) {
    throw new CountersignError("the key is not an agent's key: it begins with csk_ and the name of the organisation");
  }
  return found;
}

function read() {
  const { COUNTERSIGN_CONFIG: named, XDG_CONFIG_HOME: base = "" } = process.env;
  const path = named || join(isAbsolute(base) ? base : join(homedir(), ".config"), "countersign", "config.json");
  let file, settings;
  try {
    file = openSync(path);
    const mode = fstatSync(file).mode & 0o777;
    if (process.platform !== "win32" && mode & 0o077) {
      throw new CountersignError(`${path} can be read by others (mode 0${mode.toString(8)}): run chmod 600 on it, and make a new key if others did`);
    }
    settings = JSON.parse(readFileSync(file, "utf8"));
  } catch (e) {
    if (e.code === "ENOENT" && !named) return {};
    throw e instanceof CountersignError ? e : new CountersignError(`${path} cannot be read: ${e.code ?? e.name}`); // the text may quote the key
  } finally {
    if (file !== undefined) closeSync(file);
  }
  const known = ["url", "key", "ca", "wait_seconds"];
  if (settings === null || typeof settings !== "object" || Object.keys(settings).some((name) => !known.includes(name))) {
    throw new CountersignError(`${path} must be a JSON object with url, key and, where needed, ca and wait_seconds, and nothing else`);
  }
  return settings;
}

export function loopback(host) {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

// ended is the path without slashes at its end.
const ended = (u) => u.pathname.replace(/\/+$/, "");

// place is the base URL, checked: whoever answers in the server's place could sign grants.
export function place(text, allowHTTP) {
  const u = URL.canParse(text) ? new URL(text) : null;
  if (!u || !/^https?:$/.test(u.protocol) || u.username || !/^(\/[A-Za-z0-9][A-Za-z0-9._~-]*)*\/*$/.test(u.pathname) || u.search || u.hash) {
    throw new CountersignError("the url is no base URL: write the console's public one, for example https://approvals.example.com");
  }
  if (u.protocol === "http:" && !allowHTTP && !loopback(u.hostname)) {
    throw new CountersignError(`${u.hostname} is asked over http: anybody on the way could approve; use https, or allowHTTP`);
  }
  return u.origin + ended(u);
}

// samePlace is whether two base URLs are one server: the names of this machine are the same place.
export function samePlace(a, b) {
  const [x, y] = [a, b].map((text) => (URL.canParse(text) ? new URL(text) : null));
  const host = (u) => (loopback(u.hostname) ? "loopback" : u.hostname);
  return x !== null && y !== null && x.protocol === y.protocol && host(x) === host(y) && x.port === y.port && ended(x) === ended(y);
}
