// A note of the browser when something new waits and nobody looks at this tab. It is
// off until a person turns it on here. It says how many and how high, never a word
// that an agent wrote: a notification is read on locked screens, and out of its frame.
(() => {
  // A browser may give its push notifications another address (push.js). Its service worker
  // tells the server; where it could not, this does.
  const renew = async () => {
    const kept = JSON.parse(localStorage.getItem("push") ?? "null");
    if (!kept || !("serviceWorker" in navigator)) return;
    const now = await (await navigator.serviceWorker.getRegistration(base))?.pushManager?.getSubscription();
    if (!now || now.endpoint === kept.endpoint) return;
    const { endpoint, keys } = now.toJSON();
    const body = new URLSearchParams({ "secret:before": kept.endpoint, "secret:endpoint": endpoint, "secret:p256dh": keys.p256dh, "secret:auth": keys.auth });
    if ((await fetch(new URL("account/devices/renew", base), { method: "POST", body })).ok) localStorage.setItem("push", JSON.stringify({ ...kept, endpoint }));
  };
  renew().catch(() => { /* the next page tries again */ });
})();

(() => {
  const buttons = all("[data-notify]");
  if (buttons.length === 0 || !("Notification" in window) || !isSecureContext) return;
  const kept = () => { try { return localStorage.getItem("notify") === "on"; } catch { return false; } };
  const keep = (on) => { try { localStorage.setItem("notify", on ? "on" : "off"); } catch { /* storage is off: until the next page */ } };
  const wanted = () => kept() && Notification.permission === "granted";
  const draw = () => buttons.forEach((button) => {
    button.hidden = false;
    button.querySelector("[data-word]").textContent = say(wanted() ? "notify-stop" : "notify");
  });

  buttons.forEach((button) => button.addEventListener("click", async () => {
    if (wanted()) { keep(false); draw(); announce(say("notify-off")); return; }
    const granted = await Notification.requestPermission() === "granted";
    keep(granted);
    draw();
    announce(say(granted ? "notify-on" : "notify-forbidden"));
  }));
  window.addEventListener("storage", draw);

  document.addEventListener("countersign:arrived", (event) => {
    if (!wanted() || !document.hidden) return;
    const { count, highest, assigned } = event.detail;
    const note = new Notification(assigned ? say("wait-assigned") : say("wait", count), {
      body: highest ? say(`highest-${highest}`) : "", tag: "countersign-queue", icon: new URL("static/favicon.svg", base),
    });
    note.addEventListener("click", () => { window.focus(); note.close(); });
  });
  draw();
})();
