import { expect, it, onTestFinished } from "vitest";
import { createPages } from "./pages.ts";

const style = { author: "Ada", timeZone: "UTC", costs: false };
const message = (text: string) => ({
  id: "m",
  parentId: null,
  role: "assistant" as const,
  state: "complete" as const,
  createdAt: 0,
  parts: [{ type: "text" as const, text }],
  runs: [],
  files: [],
});

it("a thread renders a page's messages, and one that it can't render is shown as written", async () => {
  const pages = createPages();
  onTestFinished(pages.close);
  const messages = ["**one**", `${"> ".repeat(20_000)}deep`, "*two*"].map(message);
  const page = await pages.renderPage({ messages, style, paths: {} });
  expect(page).toContain("<strong>one</strong>");
  expect(page).toContain("&gt; deep</pre>");
  expect(page).toContain("<em>two</em>");
});
