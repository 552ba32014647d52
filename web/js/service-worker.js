// What runs where no page is open: it shows what a push says, and opens the request's page.
//
// It answers no page's requests and keeps no copy of anything. What waits, who may decide it
// and what was decided come from the server each time: never from a cache.
const icon = "static/icons/icon-192.png", badge = "static/icons/badge-96.png";

// A new one takes over at once: it holds nothing that the one before would miss.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// Each push is shown: browsers take the permission from those that show nothing. What follows
// on the same request replaces its notification without a sound.
const show = (said) => {
  const lines = said.body ? [said.body] : [];
  if (said.until && said.ends) {
    const time = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" }).format(new Date(said.until));
    lines.push(said.ends.replace("{time}", time));
  }
  return self.registration.showNotification(said.title, {
    body: lines.join("\n"), tag: said.tag, icon, badge, data: { link: said.link },
    silent: !!said.quiet, renotify: !said.quiet, requireInteraction: !said.quiet,
  });
};
self.addEventListener("push", (event) => { if (event.data) event.waitUntil(show(event.data.json())); });

// The link leads to a page of this server, which asks to sign in and decides nothing.
const open = async (link) => {
  const path = new URL(link, self.location.origin).pathname;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((one) => new URL(one.url).pathname === path);
  return there ? there.focus() : self.clients.openWindow(self.location.origin + path);
};
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.link));
});

// A browser may give itself another address. Where nobody is signed in now, the next page
// tells the server (notify.js).
const renew = async ({ oldSubscription: before, newSubscription: given }) => {
  if (!before) return;
  const now = given ?? await self.registration.pushManager.subscribe(before.options);
  const { endpoint, keys } = now.toJSON();
  const body = new URLSearchParams({ "secret:before": before.endpoint, "secret:endpoint": endpoint, "secret:p256dh": keys.p256dh, "secret:auth": keys.auth });
  await fetch("account/devices/renew", { method: "POST", body });
};
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));
