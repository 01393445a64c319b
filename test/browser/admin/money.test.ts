import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import type { Budget, Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import {
  type Chat,
  composer,
  say,
  startChat,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { button, field } from "../../support/browser/locators.ts";
import { savedEntry } from "../../support/browser/saved-entry.ts";
import { findBarriers, watchPage } from "../../support/browser/strict-page.ts";
import { connectKind } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/**
 * Money across the app: refusals by a budget, waiting approvals, the precision of costs, a model's
 * price ceiling.
 */
let chat: Chat;
let fal: FalSimulator;
let falId: string;

beforeAll(async () => {
  [chat, fal] = await Promise.all([startChat(), startFal()]);
  falId = await connectKind(chat.studio.api, "fal", fal.values);
});
afterAll(async () => {
  await chat?.stop();
  await fal?.stop();
});
beforeEach(() => Promise.all([setBudget(null), setPrice({ prices: null, ceilingMicros: null })]));

type Setting = Partial<Pick<Budget, "period" | "onLimit" | "scope">>;
/** Sets the only budget of these tests, by default for everything. */
async function setBudget(
  limitMicros: number | null,
  { scope = "instance", ...rest }: Setting = {},
): Promise<void> {
  const setting = { period: "month", timeZone: "UTC", onLimit: "block", limitMicros, ...rest };
  const { user } = await chat.studio.api.get<{ user: { id: string } }>("/me");
  const ids = { instance: null, user: user.id, project: chat.studio.api.projectId, api_key: null };
  const scopes = limitMicros === null ? (["instance", "user", "project"] as const) : [scope];
  for (const one of scopes)
    await chat.studio.api.send("PUT", "/admin/budgets", {
      scope: one,
      scopeIds: [ids[one]],
      ...setting,
    });
}
const setPrice = (change: object) =>
  chat.studio.api.send("PUT", `/connections/${chat.connectionId}/model-price`, {
    modelId: "sim-chat",
    ...change,
  });
const inAndOut = [
  { unit: "input token", micros: "100" },
  { unit: "output token", micros: "100" },
];

async function open(path: string): Promise<Page> {
  const page = await chat.openProfile();
  const { user } = await chat.studio.api.get<{ user: { id: string } }>("/me");
  // The person's last used model.
  const used = savedEntry("choice", user.id, "chat-model", `${chat.connectionId} sim-chat`);
  await page.addInitScript(([key, value]) => localStorage.setItem(key, value), used);
  const breaches = watchPage(page);
  onTestFinished(() => expect(breaches).toEqual([]));
  await page.goto(path);
  return page;
}
const openChat = async (): Promise<Page> => {
  const page = await open("/chat");
  await composer(page).waitFor();
  return page;
};
const refusal = (on: Page | Locator) => on.getByRole("alert").filter({ hasText: "budget" });

it("a question that a budget refuses stays in the composer, with the amount left and a link to the budget", async () => {
  await setPrice({ prices: inAndOut });
  await setBudget(20_000);
  const page = await openChat();
  await say(page, "How much is too much?");
  const told = refusal(page);
  await told
    .getByText(
      /^This may cost up to \$.* and this Bottega’s budget of \$0\.02 a month has \$0\.02 left\.$/,
    )
    .waitFor();
  await told.getByText(/Ask an admin to raise it, or choose a cheaper model\./).waitFor();
  expect(await composer(page).inputValue()).toBe("How much is too much?");
  expect(await findBarriers(page)).toEqual([]);
  await told.getByRole("link", { name: "Edit budget" }).click();
  await page.getByText("$0.00 of $0.02 spent").waitFor();
});

it("a model without a price needs a ceiling, which is set on its page, and then it answers", async () => {
  await setBudget(1_000_000);
  const page = await openChat();
  await say(page, "What do you cost?");
  const told = refusal(page);
  await told
    .getByText(
      /^The maximum cost of this run is unknown, and this Bottega’s budget of \$1\.00 a month must not be exceeded\.$/,
    )
    .waitFor();
  await told.getByRole("link", { name: "Set ceiling" }).click();
  await page.getByText("A budget set to “Refuse” blocks runs").waitFor();
  const ceiling = page.getByRole("textbox", { name: "Ceiling per run, in dollars" });
  await button(page, "Set ceiling").click();
  await page.getByText("Enter an amount in dollars, such as 25 or 0.50.").waitFor();
  await ceiling.fill("0.05");
  expect(await findBarriers(page)).toEqual([]);
  await button(page, "Set ceiling").click();
  await page.getByText("At most $0.05 per run").waitFor();
  chat.simulator.script({ text: "Little." });
  const again = await openChat();
  expect(await composer(again).inputValue()).toBe("");
  await say(again, "And now?");
  // Its cost stays unknown, so its reservation is booked.
  await thread(again)
    .getByText(/at most \$0\.05/)
    .waitFor();
});

it("a custom price is set per million tokens, shown with its source, and used for costs", async () => {
  const page = await open(`/models/${chat.connectionId}/sim-chat`);
  await field(page, "Dollars per million input tokens").fill("1.50");
  await button(page, "Set price").click();
  await page.getByText("Enter an amount in dollars, such as 25 or 0.50.").waitFor();
  await field(page, "Dollars per million output tokens").fill("1000");
  await button(page, "Set price").click();
  await page.getByText("$1.50 per million input tokens").waitFor();
  await page.getByText("$1,000.00 per million output tokens").waitFor();
  await page.getByText("Set by someone here").waitFor();
  await page.goto("/models?q=sim-chat");
  // The row says the price once, in its column or, on a phone, in the second line.
  const row = (rest: string) => {
    const name = `sim-chat Accepts text ${rest}$1.50 in, $1,000.00 out per million`;
    return page.getByRole("link", { name, exact: true });
  };
  await row("Chat Studio key ").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await row("Studio key · ").waitFor();
  chat.simulator.script({
    text: "Dear.",
    usage: { prompt_tokens: 2, completion_tokens: 50, total_tokens: 52 },
  });
  const talk = await openChat();
  await say(talk, "Count it");
  await thread(talk)
    .getByText(/\$0\.05/)
    .waitFor();
});

it("a picture refused by a budget keeps the form, and one that needs approval says whose", async () => {
  await setBudget(1_000);
  const address = `/create?task=image&model=${falId}/sim/flux/dev`;
  const page = await open(address);
  await field(page, "Prompt").fill("a harbour over budget");
  await button(page, /^Make \d/).click();
  await refusal(page)
    .getByText(/^This may cost up to \$0\.025, .* left\.$/)
    .waitFor();
  await refusal(page)
    .getByText(/Nothing was charged/)
    .waitFor();
  expect(await field(page, "Prompt").inputValue()).toBe("a harbour over budget");
  await setBudget(1_000, { onLimit: "ask" });
  await button(page, /^Make \d/).click();
  const words = "Over budget: needs an admin’s approval";
  await page
    .getByRole("region", { name: "a harbour over budget", exact: true })
    .getByText(words)
    .first()
    .waitFor();
  const { runs } = await chat.studio.api.get<{ runs: Run[] }>(
    `/runs?projectId=${chat.studio.api.projectId}&state=open`,
  );
  const waiting = runs.find(({ input }) => input.prompt === "a harbour over budget")!;
  await page.goto(`/activity/${waiting.id}`);
  await page.getByText("This run is over a budget. An admin can approve it.").waitFor();
  await page.goto("/activity");
  await page
    .getByRole("listitem")
    .filter({ hasText: "a harbour over budget" })
    .getByText(words)
    .waitFor();
  await chat.studio.api.send("POST", `/runs/${waiting.id}/cancel`);
});

it("Home refuses with a link to the budget, keeps the text, and says which budgets are nearly spent", async () => {
  await setPrice({ prices: inAndOut });
  const run = await chat.converse("spend a little", "Spent.");
  await soon(
    async () => (await chat.studio.api.get<{ run: Run }>(`/runs/${run.run.id}`)).run.costMicros,
  ).toBeGreaterThan(0);
  const { user } = await chat.studio.api.get<{ user: { id: string } }>("/me");
  const { budgets } = await (async () => {
    await setBudget(1, { scope: "user" });
    return chat.studio.api.get<{ budgets: (Budget & { spentMicros: number })[] }>("/budgets");
  })();
  const spent = budgets.find(({ scopeId }) => scopeId === user.id)!.spentMicros;
  await setBudget(Math.floor(spent / 0.9), { scope: "user" });
  const page = await open("/");
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("heading", { name: /^Your budget for \w+ is 90% spent$/ }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("link", { name: "View usage" }).click();
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  await page.goto("/");
  // Nothing is sent before the models have loaded.
  await page.getByRole("button", { name: /Choose another/ }).waitFor();
  await page.getByRole("textbox").first().fill("One more, please");
  await page.keyboard.press("Enter");
  await refusal(page)
    .getByText(/and your budget of/)
    .waitFor();
  expect(await page.getByRole("textbox").first().inputValue()).toBe("One more, please");
});
