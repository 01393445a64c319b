import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import type { Run, RunState } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import {
  builtinConnection,
  connectKind,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";

/** Activity, action by action: with the built-in models, and with fal's through its simulator. */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let falId: string;
let builtin: string;
let page: Page;

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  builtin = await builtinConnection(studio.api);
  falId = await connectKind(studio.api, "fal", fal.values);
  await untilState((await pattern("quiet hills at dusk")).id, "succeeded");
  await askGuide("What is Bottega?");
  ({ page } = await studio.openAs(browser));
});
// Deliberately lost answers would pause the service; a check shows that it works.
beforeEach(() => studio.api.send("POST", `/connections/${falId}/check`));
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), fal?.stop()]);
});

async function start(
  connectionId: string,
  modelId: string,
  input: Record<string, unknown>,
): Promise<Run> {
  const body = {
    projectId: studio.api.projectId,
    models: [{ connectionId, modelId }],
    task: "image",
    input,
  };
  return (await studio.api.send<{ runs: Run[] }>("POST", "/runs", body)).runs[0]!;
}
const pattern = (prompt: string, side = 64) =>
  start(builtin, "pattern", { prompt, image_size: { width: side, height: side } });
const flux = (prompt: string, connectionId = falId) =>
  start(connectionId, "sim/flux/dev", { prompt });
async function askGuide(text: string): Promise<void> {
  const { conversation } = await studio.api.send<{ conversation: { id: string } }>(
    "POST",
    "/conversations",
    {
      projectId: studio.api.projectId,
    },
  );
  const ask = { model: { connectionId: builtin, modelId: "guide" } };
  const said = await studio.api.send<{ run: Run }>(
    "POST",
    `/conversations/${conversation.id}/messages`,
    { parentId: null, text, ask },
  );
  await untilState(said.run.id, "succeeded");
}
const runOf = async (id: string): Promise<Run> =>
  (await studio.api.get<{ run: Run }>(`/runs/${id}`)).run;
const untilState = (id: string, ...states: RunState[]) =>
  until(`run ${id} is ${states.join(" or ")}`, async () => {
    const run = await runOf(id);
    return states.includes(run.state) && run;
  });

const row = (title: string) =>
  page.getByRole("main").getByRole("listitem").filter({ hasText: title }).first();
const button = (name: string) => page.getByRole("button", { name, exact: true });
const log = () => page.getByRole("heading", { name: "Event log" }).locator("xpath=../..");

it("every run is listed with its state, model, price and time, and the filters are in the address", async () => {
  await page.goto("/activity");
  await row("quiet hills at dusk").getByText("Done").waitFor();
  for (const words of ["Pattern (procedural) · Picture", "free"])
    await row("quiet hills at dusk").getByText(words).waitFor();
  await row("What is Bottega?").getByText("Guide · Chat").waitFor();
  await page.getByRole("button", { name: "All tasks" }).click();
  await page
    .getByRole("menuitemradio", { name: "Chat" })
    .or(page.getByRole("menuitemcheckbox", { name: "Chat" }))
    .click();
  await row("quiet hills at dusk").waitFor({ state: "detached" });
  expect(page.url()).toContain("task=chat");
  await page.getByRole("navigation", { name: "Runs by status" }).getByText("Active").click();
  await page.getByRole("heading", { name: "No matching runs" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Show all runs" }).click();
  await row("quiet hills at dusk").waitFor();
  // By text, from the keyboard; results are shown small.
  await page.keyboard.press("/");
  await page.keyboard.type("hills dusk");
  await page.waitForURL("**/activity?q=hills+dusk");
  await row("What is Bottega?").waitFor({ state: "detached" });
  await row("quiet hills at dusk").locator("img").first().waitFor();
  await page.getByRole("navigation", { name: "Runs by status" }).getByText("Failed").click();
  await page.getByRole("heading", { name: "No matching runs" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("the runs of a batch are one row that unfolds", async () => {
  const models = [{ connectionId: builtin, modelId: "pattern" }];
  const input = { prompt: "three quiet boats", image_size: { width: 64, height: 64 } };
  const body = { projectId: studio.api.projectId, models, task: "image", input, variants: 3 };
  const { runs } = await studio.api.send<{ runs: Run[] }>("POST", "/runs", body);
  for (const { id } of runs) await untilState(id, "succeeded");
  await page.goto("/activity?show=succeeded");
  await row("three quiet boats").getByText("3 runs").waitFor();
  const links = page.getByRole("main").getByRole("link", { name: "three quiet boats" });
  expect(await links.count()).toBe(0);
  await row("three quiet boats").getByRole("button", { name: "three quiet boats" }).press("Enter");
  await soon(() => links.count()).toBe(3);
  expect(await row("three quiet boats").locator("img").count()).toBe(3);
  expect(await findBarriers(page)).toEqual([]);
});

it("a run in progress is live in the list, can be canceled, and is retried as a new run", async () => {
  await page.goto("/activity");
  const run = await flux("a slow tide [sim:hold] [sim:stops-on-cancel]");
  await page.getByRole("heading", { name: /^Now/ }).waitFor();
  await row("a slow tide")
    .getByText(/Running|Waiting at the provider/)
    .waitFor();
  await button("Cancel a slow tide [sim:hold] [sim:stops-on-cancel]").click();
  await row("a slow tide").getByText("Canceled").waitFor();
  expect((await runOf(run.id)).state).toBe("cancelled");
  await button("Retry a slow tide [sim:hold] [sim:stops-on-cancel]").click();
  await page.getByText("Started a new run").first().waitFor();
  await button("Open").click();
  await page.waitForURL(/\/activity\/[0-9a-f-]{36}$/);
  const fresh = page.url().split("/").at(-1)!;
  expect((await runOf(fresh)).retryOf).toBe(run.id);
  await button("Cancel run").click();
  await untilState(fresh, "cancelled");
  await button("Retry").waitFor();
});

it("an unconfirmed run comes first, says what is unknown, and ends only by a person's decision", async () => {
  const run = await flux("a lost letter [sim:lost-reply]");
  await untilState(run.id, "unconfirmed");
  await page.goto("/activity");
  const first = page.getByRole("main").getByRole("listitem").first();
  await first.getByText("Unconfirmed").waitFor();
  await first.getByText("a lost letter").waitFor();
  const cancel = first.getByRole("button", { name: /^Cancel a lost letter/ });
  await cancel.click();
  await page.getByText("The run is canceled once its job is found").waitFor();
  await cancel.waitFor({ state: "detached" });
  await first.getByRole("button", { name: /^Resolve a lost letter/ }).click();
  const dialog = page.getByRole("dialog", { name: "Resolve this run" });
  await dialog
    .getByText(/may have cost|price is unknown/)
    .first()
    .waitFor();
  expect(await dialog.getByRole("button", { name: "Close run" }).isDisabled()).toBe(true);
  await dialog.getByRole("radio", { name: /It did not run/ }).check();
  expect((await runOf(run.id)).state).toBe("unconfirmed");
  await dialog.getByRole("button", { name: "Close run" }).click();
  await dialog.waitFor({ state: "detached" });
  const ended = await untilState(run.id, "failed");
  expect(ended.costMicros).toBe(0);
  await row("a lost letter").getByText("Failed").waitFor();
});

it("an unconfirmed run shows what is known of it, and the provider's request id brings its result", async () => {
  const prompt = "a found letter [sim:lost-reply]";
  const body = {
    projectId: studio.api.projectId,
    models: [{ connectionId: falId, modelId: "sim/flux/dev" }],
    task: "image",
  };
  const input = { prompt, image_size: { width: 512, height: 512 } };
  const run = (await studio.api.send<{ runs: Run[] }>("POST", "/runs", { ...body, input }))
    .runs[0]!;
  await untilState(run.id, "unconfirmed");
  await page.goto("/activity");
  await row("a found letter")
    .getByText(/Sent at \d\d:\d\d:\d\d\. It may have cost up to \$0\.025/)
    .waitFor();
  await row("a found letter").getByRole("button", { name: "Resolve a found letter" }).click();
  const dialog = page.getByRole("dialog", { name: "Resolve this run" });
  await dialog.getByText(/It may have cost up to \$0\.025/).waitFor();
  // A request without an id can't be checked anywhere.
  expect(await dialog.getByRole("radio", { name: /Check again/ }).count()).toBe(0);
  await dialog.getByRole("radio", { name: /It ran: fetch the result/ }).check();
  expect(await dialog.getByRole("button", { name: "Fetch result" }).isDisabled()).toBe(true);
  const field = dialog.getByLabel("Request ID at the provider");
  await field.fill("00000000-0000-4000-8000-000000000000");
  await dialog.getByRole("button", { name: "Fetch result" }).click();
  await dialog.getByText("The provider has no such request").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await field.fill(fal.requestIdOf(prompt));
  await dialog.getByRole("button", { name: "Fetch result" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await untilState(run.id, "succeeded")).costMicros).toBe(25_000);
  await row("a found letter").getByText("Done").waitFor();
});

it("a refused run's result is fetched by its provider's id, and an id of another run only after a confirmation", async () => {
  const lost = await flux("a sixth letter [sim:lost-reply]");
  await untilState(lost.id, "unconfirmed");
  await page.goto(`/activity/${lost.id}`);
  const colors = (name: string) =>
    page.evaluate((token) => {
      const probe = document.createElement("i");
      probe.style.color = `var(${token})`;
      document.body.append(probe);
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    }, name);
  const icon = page.getByRole("main").getByRole("alert").locator("svg").first();
  // The failure isn't certain.
  expect(await icon.evaluate((svg) => getComputedStyle(svg).color)).toBe(await colors("--warn"));

  const run = await flux("a refused letter [sim:500]");
  expect((await untilState(run.id, "failed")).costBasis).toBe("assumed");
  await page.goto(`/activity/${run.id}`);
  await page.getByText("If fal ran this anyway, its request ID fetches the result.").waitFor();
  await button("Enter request ID").click();
  const dialog = page.getByRole("dialog", { name: "Fetch the result of this run" });
  await dialog.getByRole("radio", { name: /It ran: fetch the result/ }).check();
  expect(await dialog.getByRole("radio").count()).toBe(1);
  await dialog
    .getByLabel("Request ID at the provider")
    .fill(fal.requestIdOf("a sixth letter [sim:lost-reply]"));
  await dialog.getByRole("button", { name: "Fetch result" }).click();
  await dialog.getByText(/This job’s prompt is “a sixth letter/).waitFor();
  expect((await runOf(run.id)).costBasis).toBe("assumed");
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Fetch anyway" }).click();
  await dialog.waitFor({ state: "detached" });
  await until("its result is booked", async () => (await runOf(run.id)).costBasis === "known");
  await page.getByRole("main").getByRole("link", { name: "a refused letter" }).waitFor();
  await studio.api.send("POST", `/runs/${lost.id}/resolve`, { outcome: "not-made" });
});

it("an unconfirmed run is made again as a new run, and stays unconfirmed itself", async () => {
  const run = await flux("a third letter [sim:lost-reply]");
  await untilState(run.id, "unconfirmed");
  await page.goto(`/activity/${run.id}`);
  await button("Resolve").click();
  await page.getByRole("radio", { name: /Run it again/ }).check();
  await page.getByRole("dialog").getByText("may cost a second time").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Run again" }).click();
  await page.getByText("Started a new run").first().waitFor();
  expect((await runOf(run.id)).state).toBe("unconfirmed");
  const { runs } = await studio.api.get<{ runs: Run[] }>(
    `/runs?projectId=${studio.api.projectId}&state=open`,
  );
  const again = runs.find(({ retryOf }) => retryOf === run.id);
  await untilState(again?.id ?? "", "unconfirmed");
  for (const { id } of [run, again!])
    await studio.api.send("POST", `/runs/${id}/resolve`, { outcome: "not-made" });
});

it("a person's entry of a lost run's cost is booked", async () => {
  const run = await flux("a fourth letter [sim:lost-reply]");
  await untilState(run.id, "unconfirmed");
  await page.goto(`/activity/${run.id}`);
  await button("Resolve").click();
  await page.getByRole("radio", { name: /It ran and was charged/ }).check();
  await page.getByLabel("Cost in dollars").fill("nothing much");
  expect(await button("Close run").isDisabled()).toBe(true);
  await page.getByLabel("Cost in dollars").fill("0,40");
  await button("Close run").click();
  expect((await untilState(run.id, "failed")).costMicros).toBe(400_000);
  await page.getByRole("complementary", { name: "Run" }).getByText("$0.40").waitFor();
});

it("a paid result that couldn't be fetched says so, and is fetched again on request", async () => {
  const prompt = "a far harbour [sim:output-503]";
  const run = await flux(prompt);
  await untilState(run.id, "storing");
  await studio.api.send("POST", `/runs/${run.id}/cancel`);
  await untilState(run.id, "failed");
  await page.goto(`/activity/${run.id}`);
  await page.getByRole("heading", { name: "1 result is missing" }).waitFor();
  await page.getByText(/The provider stores it until/).waitFor();
  await button("Fetch again").click();
  await page.getByText("The results could not be fetched").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  fal.mend(prompt);
  await button("Fetch again").click();
  await page.getByRole("main").getByRole("link", { name: "a far harbour" }).waitFor();
  await page.getByRole("heading", { name: "1 result is missing" }).waitFor({ state: "detached" });
});

it("an unconfirmed run that was made elsewhere is closed at the most that it can have cost", async () => {
  const run = await flux("a second letter [sim:lost-reply]");
  await untilState(run.id, "unconfirmed");
  await page.goto(`/activity/${run.id}`);
  await button("Resolve").click();
  await page.getByRole("radio", { name: /It ran and was charged/ }).check();
  await button("Close run").click();
  await untilState(run.id, "failed");
  await page
    .getByRole("complementary", { name: "Run" })
    .getByText(/^at most \$0\.0/)
    .waitFor();
});

it("a run's page shows its outputs, inputs, cost, times and attempts, and its log grows during the run", async () => {
  const run = await flux("a lighthouse [sim:hold]");
  await untilState(run.id, "running", "submitted");
  await page.goto(`/activity/${run.id}`);
  await log().getByText("Sending, attempt 1").waitFor();
  await page.getByText("Nothing yet.").waitFor();
  expect(await log().getByText("Finished: done").count()).toBe(0);
  fal.release("a lighthouse");
  await log().getByText("Finished: done").waitFor();
  await page.getByRole("main").getByRole("link", { name: "a lighthouse [sim:hold]" }).waitFor();
  const facts = page.getByRole("complementary", { name: "Run" });
  await facts.getByText("Details", { exact: true }).click();
  for (const words of ["Attempt 1", "Cost and tokens", "Timing", "Provider request ID"])
    await facts.getByText(words).first().waitFor();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("link", { name: "All runs" }).click();
  await row("a lighthouse").getByText("Done").waitFor();
});

it("a run that failed because of its key says so and links to its connection", async () => {
  const brokenId = await connectKind(studio.api, "fal", fal.values, "Second key");
  await studio.api.send("PATCH", `/connections/${brokenId}`, { values: { key: "wrong:key" } });
  const run = await flux("a closed door", brokenId);
  const { error } = await untilState(run.id, "failed");
  expect(error?.code).toBe("provider_auth");
  await page.goto(`/activity/${run.id}`);
  await page.getByRole("alert").getByText(error!.message).waitFor();
  await page.getByRole("link", { name: "Open connection" }).click();
  await page.waitForURL(`**/admin/connections?connection=${brokenId}`);
});

it("a list longer than a page loads more at its end", async () => {
  const models = [{ connectionId: builtin, modelId: "pattern" }];
  const input = { prompt: "paper", image_size: { width: 64, height: 64 } };
  for (let batch = 0; batch < 4; batch++) {
    const body = { projectId: studio.api.projectId, models, task: "image", input, variants: 16 };
    const { runs } = await studio.api.send<{ runs: Run[] }>("POST", "/runs", body);
    // Waiting runs are canceled immediately, so that sixty pictures aren't drawn for this.
    for (const { id } of runs.reverse()) await studio.api.send("POST", `/runs/${id}/cancel`);
  }
  await soon(
    async () =>
      (await studio.api.get<{ runs: Run[] }>(`/runs?projectId=${studio.api.projectId}&state=open`))
        .runs.length,
  ).toBe(0);
  await page.goto("/activity?show=ended&task=image");
  const batches = (runs: number) =>
    page
      .getByRole("main")
      .getByRole("listitem")
      .filter({ hasText: `· ${runs} runs` });
  // A page of fifty ends within the fourth batch of sixteen, which the next page completes.
  await soon(() => batches(16).count()).toBe(3);
  expect(await batches(2).count()).toBe(1);
  await button("Show more").click();
  await soon(() => batches(16).count()).toBe(4);
});

it("a run whose service fails says why it waits", async () => {
  const failing = await connectKind(studio.api, "fal", fal.values);
  await studio.api.send("PATCH", `/connections/${failing}`, { values: { key: "wrong:key" } });
  await untilState((await flux("a closed door, again", failing)).id, "failed");
  const run = await flux("a picture that waits", failing);
  await page.goto(`/activity/${run.id}`);
  await page.getByText(/Runs wait until the key is changed or a check passes\./).waitFor();
  await studio.api.send("POST", `/runs/${run.id}/cancel`);
  await untilState(run.id, "cancelled");
});

/** A browser that can be put in the background, and records its notifications. */
async function openNotifying(): Promise<Page> {
  const { page: tab, context } = await studio.openAs(browser);
  onTestFinished(() => context.close());
  await tab.addInitScript(() => {
    const told: { text: string; tag: string; onclick?: () => void }[] = [];
    let state: DocumentVisibilityState = "visible";
    Object.defineProperty(document, "visibilityState", { get: () => state });
    Object.assign(window, {
      told,
      look(to: DocumentVisibilityState) {
        state = to;
        document.dispatchEvent(new Event("visibilitychange"));
      },
      Notification: Object.assign(
        function notify(this: { close: () => void }, text: string, { tag }: { tag: string }) {
          told.push(Object.assign(this, { text, tag, close: () => undefined }));
        },
        { permission: "granted", requestPermission: async () => "granted" },
      ),
    });
  });
  // Each run took twenty seconds, according to this page's answers.
  await tab.route(/\/api\/v1\/runs\/[0-9a-f-]{36}$/, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { run?: Run };
    if (body.run?.finishedAt) body.run.createdAt = body.run.finishedAt - 20_000;
    await route.fulfill({ response, json: body });
  });
  return tab;
}
type Told = { told: { text: string; tag: string; onclick?: () => void }[] };
const look = (tab: Page, state: "hidden" | "visible") =>
  tab.evaluate((to) => (window as unknown as { look(to: string): void }).look(to), state);
/** Held by a visible tab, for its project, from the moment it watches runs. */
const isSeen = (tab: Page) =>
  tab.evaluate(async () =>
    (await navigator.locks.query()).held!.some(({ name }) => name?.startsWith("bottega-seen:")),
  );

it("notifications are off until they are enabled, and then report own runs that ended in the background", async () => {
  await studio.api.send("POST", "/projects", { name: "Wharf" });
  const tab = await openNotifying();
  await tab.goto("/settings/notices");
  const choice = tab.getByRole("radio", { name: "Long runs and approvals" });
  await choice.waitFor();
  expect(await choice.isChecked()).toBe(false);
  expect(await findBarriers(tab)).toEqual([]);
  await choice.check({ force: true });
  await tab.goto("/activity");
  await soon(() => isSeen(tab)).toBe(true);
  const run = await flux("a long tide [sim:hold]");
  await tab.getByText("1 running").first().waitFor();
  await look(tab, "hidden");
  await soon(() => isSeen(tab)).toBe(false);
  fal.release("a long tide");
  const told = () =>
    tab.evaluate(() => (window as unknown as Told).told.map(({ text, tag }) => `${text} (${tag})`));
  await soon(told).toEqual([`Done: a long tide [sim:hold] (${run.batchId ?? run.id} ended)`]);
  expect(await tab.title()).toBe("(1) Done: a long tide [sim:hold]");
  await tab.evaluate(() => (window as unknown as Told).told[0]!.onclick!());
  await tab.waitForURL(`**/activity/${run.id}`);
  await look(tab, "visible");
  await soon(() => tab.title()).not.toContain("(1)");
  expect(await told()).toHaveLength(1);

  // A run of another project goes on after the person has left that project, and after a reload.
  // Nothing in view shows its end.
  const away = await flux("a far tide [sim:hold]");
  await tab.getByText("1 running").first().waitFor();
  await tab.getByRole("button", { name: /^Project/ }).click();
  await tab
    .getByRole("menuitemradio", { name: "Wharf" })
    .or(tab.getByRole("menuitemcheckbox", { name: "Wharf" }))
    .click();
  await tab.getByText("1 running").first().waitFor({ state: "detached" });
  const listed = tab.waitForResponse((response) =>
    response.url().includes(`/runs?projectId=${studio.api.projectId}`),
  );
  await tab.reload();
  await listed;
  await soon(() => isSeen(tab)).toBe(true);
  fal.release("a far tide");
  await soon(told).toEqual([`Done: a far tide [sim:hold] (${away.batchId ?? away.id} ended)`]);
  await tab.evaluate(() => (window as unknown as Told).told[0]!.onclick!());
  await tab.waitForURL(`**/activity/${away.id}`);
  await tab.getByRole("heading", { name: /a far tide/ }).waitFor();
});

it("with notifications as the person's default, a browser with permission and no choice of its own notifies", async () => {
  const setDefault = (notices: "long" | null) =>
    studio.api.send("PATCH", "/me/preferences", { defaults: { notices } });
  await setDefault("long");
  onTestFinished(async () => void (await setDefault(null)));
  const tab = await openNotifying();
  await tab.goto("/activity");
  await soon(() => isSeen(tab)).toBe(true);
  await flux("a spring tide [sim:hold]");
  await tab.getByText("1 running").first().waitFor();
  await look(tab, "hidden");
  await soon(() => isSeen(tab)).toBe(false);
  fal.release("a spring tide");
  await soon(() =>
    tab.evaluate(() => (window as unknown as Told).told.map(({ text }) => text)),
  ).toEqual(["Done: a spring tide [sim:hold]"]);
});

it("a browser that can't show a page's notifications is told so in the settings", async () => {
  const tab = await openNotifying();
  await tab.addInitScript(() =>
    Object.assign(window, {
      // Like Chrome on Android.
      Notification: Object.assign(
        () => {
          throw new TypeError("Illegal constructor");
        },
        { permission: "granted", requestPermission: async () => "granted" },
      ),
    }),
  );
  await tab.goto("/settings/notices");
  await tab.getByRole("radio", { name: "Long runs and approvals" }).check({ force: true });
  await soon(() => isSeen(tab)).toBe(true);
  await flux("a slow tide [sim:hold]");
  await tab.getByText("1 running").first().waitFor();
  await look(tab, "hidden");
  await soon(() => isSeen(tab)).toBe(false);
  fal.release("a slow tide");
  await soon(() => tab.title()).toBe("(1) Done: a slow tide [sim:hold]");
  await soon(() => tab.evaluate(() => Object.values(localStorage).join())).toContain("missing");
  await tab.goto("/settings/notices");
  await tab.getByText("This browser doesn’t support notifications.").waitFor();
});
