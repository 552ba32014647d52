// A note of the browser when something new waits and nobody looks at this tab. It is
// off until a person turns it on here. It says how many and how high, never a word
// that an agent wrote: a notification is read on locked screens, and out of its frame.
(() => {
  const buttons = [...document.querySelectorAll("[data-notify]")];
  if (buttons.length === 0 || !("Notification" in window) || !isSecureContext) return;
  const kept = () => { try { return localStorage.getItem("notify") === "on"; } catch { return false; } };
  const keep = (on) => { try { localStorage.setItem("notify", on ? "on" : "off"); } catch { /* storage is off: until the next page */ } };
  const on = () => kept() && Notification.permission === "granted";
  const say = (text) => { const region = document.getElementById("status"); if (region) region.textContent = text; };
  const draw = () => buttons.forEach((button) => {
    button.hidden = false;
    button.querySelector("[data-word]").textContent = on() ? "Stop notifications in this browser" : "Notify me in this browser";
  });

  buttons.forEach((button) => button.addEventListener("click", async () => {
    if (on()) { keep(false); draw(); say("Notifications are off in this browser."); return; }
    const answer = await Notification.requestPermission();
    keep(answer === "granted");
    draw();
    say(answer === "granted" ? "Notifications are on in this browser." : "This browser does not allow notifications from here. Its settings for this site can.");
  }));
  window.addEventListener("storage", draw);

  document.addEventListener("countersign:arrived", (event) => {
    if (!on() || !document.hidden) return;
    const { count, highest } = event.detail;
    const note = new Notification(`${count} new ${count === 1 ? "request waits" : "requests wait"}`, {
      body: highest ? `The highest is ${highest}.` : "", tag: "countersign-queue", icon: "/static/favicon.svg",
    });
    note.addEventListener("click", () => { window.focus(); note.close(); });
  });
  draw();
})();
