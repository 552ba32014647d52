// Push notifications in this browser: turned on and off by the person on their own page. What
// the browser gives is sent with a form; the server answers with the page.
(() => {
  const panel = document.getElementById("push"), form = panel?.querySelector("form[data-push]");
  if (!form) return;
  const state = panel.querySelector("[data-push-state]"), on = form.querySelector("button");
  const { key, worker, person } = form.dataset;
  const supported = isSecureContext && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

  // Which address the server has of this browser, and whose it is: notify.js looks whether the
  // browser still has it.
  const kept = () => { try { return JSON.parse(localStorage.getItem("push")) ?? {}; } catch { return {}; } };
  const keep = (what) => { try { localStorage.setItem("push", JSON.stringify(what)); } catch { /* storage is off */ } };

  const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  // The server lists devices by the beginning of this hash.
  const nameOf = async (endpoint) => text((await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint))).slice(0, 16));
  const registered = async () => (await navigator.serviceWorker.getRegistration(base))?.pushManager.getSubscription();
  const fits = (now) => now && text(now.options.applicationServerKey ?? new ArrayBuffer()) === key;

  const draw = async () => {
    on.hidden = true;
    if (!supported) { state.textContent = say("push-unsupported"); return; }
    const now = Notification.permission === "granted" ? await registered() : null;
    const name = fits(now) ? await nameOf(now.endpoint) : "";
    const here = name && panel.querySelector(`[data-device="${CSS.escape(name)}"]`);
    if (here) {
      here.querySelector("[data-here]").hidden = false;
      keep({ endpoint: now.endpoint, person });
    }
    const denied = Notification.permission === "denied";
    on.hidden = !!here || denied;
    state.textContent = here ? say("push-on") : denied ? say("push-denied") : say("push-off");
  };

  // Trusted Types: a worker's address is one of the few texts that can become script.
  const address = globalThis.trustedTypes?.createPolicy("push", { createScriptURL: () => worker }).createScriptURL("") ?? worker;

  const subscribe = async () => {
    await navigator.serviceWorker.register(address, { scope: base.pathname, updateViaCache: "none" });
    const { pushManager } = await navigator.serviceWorker.ready;
    const before = await pushManager.getSubscription();
    // One of somebody else who used this browser, or of another key, goes: so their notices end here.
    const mine = before && fits(before) && kept().person === person && kept().endpoint === before.endpoint;
    if (before && !mine) await before.unsubscribe();
    return mine ? before : pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    on.disabled = true;
    try {
      if (await Notification.requestPermission() !== "granted") { await draw(); return; }
      const { endpoint, keys } = (await subscribe()).toJSON();
      keep({ endpoint, person });
      for (const [name, value] of Object.entries({ endpoint, ...keys })) form.elements[`secret:${name}`].value = value;
      form.submit();
    } catch (error) {
      console.error(error);
      state.textContent = say("push-failed");
    } finally {
      on.disabled = false;
    }
  });
  draw();
})();
