import { expect, it } from "vitest";
import type { Conversation } from "#contract/entities.ts";
import { listRows } from "./conversation-groups.ts";

const now = new Date(2026, 10, 20, 15, 0).getTime();
const hour = 60 * 60_000;
const build = (title: string, change: Partial<Conversation> = {}): Conversation => ({
  id: title,
  projectId: "p",
  userId: "u",
  visibility: "author",
  title,
  systemPrompt: "",
  settings: {},
  pinned: false,
  archivedAt: null,
  trashedAt: null,
  headMessageId: null,
  expiresAt: null,
  createdAt: 0,
  updatedAt: now,
  ...change,
});
const linesOf = (conversations: Conversation[]) =>
  listRows(conversations, now).map((row) =>
    row.kind === "heading" ? `# ${row.group}` : row.conversation.title,
  );

it("conversations are grouped by pinned, today, this week and earlier, newest first", () => {
  const lines = linesOf([
    build("old", { updatedAt: now - 30 * 24 * hour }),
    build("this morning", { updatedAt: now - 6 * hour }),
    build("now"),
    build("yesterday", { updatedAt: now - 20 * hour }),
    build("kept", { pinned: true, updatedAt: now - 90 * 24 * hour }),
  ]);
  expect(lines).toEqual([
    "# pinned",
    "kept",
    "# today",
    "now",
    "this morning",
    "# week",
    "yesterday",
    "# earlier",
    "old",
  ]);
});

it("a group without conversations has no heading", () => {
  expect(linesOf([])).toEqual([]);
  expect(linesOf([build("now")])).toEqual(["# today", "now"]);
});

it("archived conversations have their own group, pinned or not", () => {
  expect(linesOf([build("away", { archivedAt: 1, pinned: true })])).toEqual(["# archived", "away"]);
});
