// Verifies one entry of the audit trail in this browser: hashes the bytes that stand on the page, joins the
// siblings, compares with the root. Nothing is asked of the server, and nothing is trusted but the root.
(() => {
  const part = document.getElementById("proof"), button = document.getElementById("verify"), said = document.getElementById("verify-result");
  if (!part || !button) return;

  // What is shown is what is hashed: the page shows hidden characters by name, and says which one stands there.
  const shown = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.dataset?.char && !node.closest("[data-fold]")) {
      return String.fromCodePoint(parseInt(node.dataset.char.replace(/^U\+/, ""), 16));
    }
    if (node.dataset?.fold !== undefined) return node.dataset.fold;
    return [...node.childNodes].map(shown).join("");
  };
  const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const hex = (array) => [...array].map((b) => b.toString(16).padStart(2, "0")).join("");
  const hash = async (prefix, ...parts) => {
    const all = new Uint8Array(1 + parts.reduce((n, p) => n + p.length, 0));
    all[0] = prefix;
    let at = 1;
    for (const p of parts) { all.set(p, at); at += p.length; }
    return new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  };

  const verify = async () => {
    const text = shown(document.querySelector("#bytes .text"));
    const leaf = await hash(0, new TextEncoder().encode(text));
    if (hex(leaf) !== part.dataset.leaf) return [false, say("other-bytes", hex(leaf))];
    let sofar = leaf, steps = 0;
    for (const li of part.querySelectorAll("[data-hash]")) {
      const sibling = bytes(li.dataset.hash);
      sofar = li.dataset.side === "left" ? await hash(1, sibling, sofar) : await hash(1, sofar, sibling);
      steps++;
    }
    if (hex(sofar) !== part.dataset.root) return [false, say("other-root", steps, hex(sofar))];
    return [true, say("holds", steps)];
  };

  button.addEventListener("click", async () => {
    if (!globalThis.crypto?.subtle) {
      said.textContent = say("insecure");
      return;
    }
    said.textContent = say("hashing");
    try {
      const [holds, words] = await verify();
      said.dataset.holds = holds;
      said.textContent = words;
    } catch (error) {
      said.dataset.holds = false;
      said.textContent = say("unverified", error.message);
    }
  });
})();
