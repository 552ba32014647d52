// Who decides: one of two teams each, live, whoever is first.
import { test, expect, actions, setPolicy, approveOnceRead } from "./server.js";
import { looksRight } from "./looks.js";

const policy = `
min_review_seconds: {medium: 0}
deciders:
  teams:
    - {name: security, members: [{person: priya@acme.test}]}
    - {name: finance, members: [{person: ben@acme.test}]}
  rules:
    - {name: deployments, functions: [deploy_*], needs: [{team: security}, {team: finance}]}
`;

test("two people of two teams decide, and each sees live who is missing", async ({ operator: page, server, acme, colleague }) => {
  const ben = await colleague("ben@acme.test", { roles: "operator" });
  const olga = await colleague("olga@acme.test", { roles: "operator" });
  setPolicy(server, "acme", policy);
  const asked = await acme.agent.submit(actions.medium);
  expect(asked.needs.map(({ team, missing }) => [team, missing])).toEqual([["security", 1], ["finance", 1]]);
  const url = `${server.url}/t/acme/approvals/${asked.id}`;
  for (const one of [ben, page]) {
    await one.goto(url);
    await expect(one.getByText("1 of security (Priya), 1 of finance (Ben)")).toBeVisible();
    await expect(one.locator("#live")).toHaveAttribute("data-state", "live");
  }
  await olga.goto(url);
  await expect(olga.getByText("You can't decide this")).toBeVisible();
  await expect(olga.getByRole("button", { name: /^Approve/ })).toHaveCount(0);
  await looksRight(olga, "someone of neither team");

  await approveOnceRead(page, page.getByText("You approved this (1 of 2)"));
  await expect(ben.getByText("security ✓ Priya")).toBeVisible();
  await expect(ben.getByText("1 of finance (Ben)", { exact: true })).toBeVisible();
  await looksRight(ben, "one team of two has approved");
  expect((await acme.agent.get(asked.id)).needs.map(({ team }) => team)).toEqual(["finance"]);

  await ben.getByRole("button", { name: /^Approve/ }).click();
  await expect(ben.locator("[data-request]").getByText(/Priya and Ben approved this at/)).toBeVisible();
  await expect(page.getByText(/Priya and Ben approved this at/).first()).toBeVisible();
  expect((await acme.agent.get(asked.id)).status).toBe("approved");

  await page.goto(`${server.url}/t/acme/settings/deciders`);
  await expect(page.getByText("1 of security, 1 of finance")).toBeVisible();
  await page.getByRole("button", { name: "Add a rule" }).click();
  await looksRight(page, "the editor of who decides");
});
