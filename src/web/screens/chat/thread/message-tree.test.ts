import { expect, it } from "vitest";
import type { Message } from "#contract/entities.ts";
import { messageOf as say } from "../../../../../test/support/messages.ts";
import {
  branchTo,
  buildTree,
  countBranches,
  newestLeaf,
  shownBranch,
  siblingsOf,
} from "./message-tree.ts";

/** Two answers to the first message; the second message was edited once. */
const tree = buildTree([
  say("6-asked-better", "3-second-answer", "user"),
  say("1-question", null, "user"),
  say("2-first-answer", "1-question", "assistant"),
  say("3-second-answer", "1-question", "assistant"),
  say("4-asked", "3-second-answer", "user"),
  say("5-answer", "4-asked", "assistant"),
]);
const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id);

it("a branch runs from the root to the message, oldest first", () => {
  expect(idsOf(branchTo(tree, "5-answer"))).toEqual([
    "1-question",
    "3-second-answer",
    "4-asked",
    "5-answer",
  ]);
  expect(branchTo(tree, null)).toEqual([]);
  expect(branchTo(tree, "gone")).toEqual([]);
});

it("siblings of a message are counted in the order they were sent", () => {
  expect(siblingsOf(tree, tree.byId.get("3-second-answer")!)).toEqual({
    place: 2,
    ids: ["2-first-answer", "3-second-answer"],
  });
  expect(siblingsOf(tree, tree.byId.get("4-asked")!)).toEqual({
    place: 1,
    ids: ["4-asked", "6-asked-better"],
  });
  expect(siblingsOf(tree, tree.byId.get("1-question")!).ids).toHaveLength(1);
});

it("switching to a sibling shows its newest branch", () => {
  expect(newestLeaf(tree, "3-second-answer")).toBe("6-asked-better");
  expect(newestLeaf(tree, "4-asked")).toBe("5-answer");
  expect(newestLeaf(tree, "2-first-answer")).toBe("2-first-answer");
});

it("branches are counted by their ends", () => {
  expect(countBranches(tree)).toBe(3);
});

it("the head's branch is shown unless the address names a message on another", () => {
  expect(idsOf(shownBranch(tree, "5-answer", undefined)).at(-1)).toBe("5-answer");
  expect(idsOf(shownBranch(tree, "5-answer", "1-question")).at(-1)).toBe("5-answer");
  expect(idsOf(shownBranch(tree, "5-answer", "2-first-answer"))).toEqual([
    "1-question",
    "2-first-answer",
  ]);
  expect(idsOf(shownBranch(tree, "5-answer", "gone")).at(-1)).toBe("5-answer");
});

it("a cyclic tree ends", () => {
  const loop = buildTree([say("a", "b", "user"), say("b", "a", "assistant")]);
  expect(branchTo(loop, "a")).toHaveLength(2);
});
