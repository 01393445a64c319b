import { expect, it } from "vitest";
import type { MessagePart, Run } from "#contract/entities.ts";
import { messageOf as say } from "../../../../../test/support/messages.ts";
import { answerState, type Entry, entriesOf } from "../thread/entries.ts";
import { branchTo, buildTree, newestLeaf } from "../thread/message-tree.ts";
import { partsOfAnswer, questionOf, versionsOf, workedMs } from "./whole-answer.ts";

const gave = (callId: string, runId: string | null): MessagePart => ({
  type: "tool-result",
  callId,
  name: "make",
  state: "done",
  runId,
  output: "",
  assetIds: [],
});
/**
 * "draw it", answered in two rounds with a tool between them. The second round was retried, and a
 * follow-up was sent to the first version of both. Then a retry of the whole answer, which ends
 * with its tool: a person wrote a message there, and then let the model continue.
 */
const tree = buildTree([
  say("01-draw", null, "user"),
  say("02-may-i", "01-draw", "assistant"),
  say("03-drawn", "02-may-i", "tool"),
  say("04-there", "03-drawn", "assistant"),
  say("05-thanks", "04-there", "user"),
  say("06-there-again", "03-drawn", "assistant"),
  say("07-anew", "01-draw", "assistant"),
  say("08-stopped", "07-anew", "tool"),
  say("09-never-mind", "08-stopped", "user"),
  say("10-welcome", "09-never-mind", "assistant"),
  say("11-went-on", "08-stopped", "assistant"),
]);
const entriesTo = (id: string) => entriesOf(branchTo(tree, id));
const idsOf = (entries: readonly Entry[]) => entries.map((entry) => entry.map(({ id }) => id));
const answerTo = (id: string): Entry => entriesTo(id)[1]!;

it("the rounds of an answer with their tool results are one item, each message of a person its own", () => {
  expect(idsOf(entriesTo("10-welcome"))).toEqual([
    ["01-draw"],
    ["07-anew", "08-stopped"],
    ["09-never-mind"],
    ["10-welcome"],
  ]);
  expect(idsOf(entriesTo("04-there"))).toEqual([["01-draw"], ["02-may-i", "03-drawn", "04-there"]]);
  expect(idsOf(entriesOf([say("1", null, "user"), say("2", "1", "user")]))).toEqual([["1"], ["2"]]);
  expect(entriesOf([])).toEqual([]);
});

it("a part of a branch that starts in the middle of an answer still finds its question", () => {
  const [entry] = entriesOf(branchTo(tree, "04-there").slice(2));
  expect(entry!.map(({ id }) => id)).toEqual(["03-drawn", "04-there"]);
  expect(questionOf(tree, entry!)?.id).toBe("01-draw");
  expect(versionsOf(tree, entry!).place).toBe(1);
  expect(questionOf(tree, [say("x", "gone", "assistant")])).toBeUndefined();
});

it("every path through the rounds is a version, wherever it was regenerated", () => {
  const ids = ["04-there", "06-there-again", "09-never-mind", "11-went-on"];
  expect(versionsOf(tree, answerTo("05-thanks"))).toEqual({ place: 1, ids });
  expect(versionsOf(tree, answerTo("06-there-again"))).toEqual({ place: 2, ids });
  expect(versionsOf(tree, answerTo("10-welcome"))).toEqual({ place: 3, ids });
  expect(versionsOf(tree, answerTo("11-went-on"))).toEqual({ place: 4, ids });
});

it("switching to a version shows it and everything after it", () => {
  const { ids } = versionsOf(tree, answerTo("05-thanks"));
  const places = ids.map((id) => versionsOf(tree, answerTo(newestLeaf(tree, id))).place);
  expect(places).toEqual([1, 2, 3, 4]);
  expect(newestLeaf(tree, ids[0]!)).toBe("05-thanks");
});

it("a branch that ends in the middle of an answer is a version too", () => {
  expect(versionsOf(tree, answerTo("02-may-i"))).toMatchObject({ place: 1 });
});

it("a version keeps its place while rounds are added to it", () => {
  const before = buildTree([
    say("1", null, "user"),
    say("2", "1", "assistant"),
    say("3", "1", "assistant"),
  ]);
  const rounds = [say("4", "2", "tool"), say("5", "4", "assistant")];
  const after = buildTree([...before.byId.values(), ...rounds]);
  expect(versionsOf(before, entriesOf(branchTo(before, "2"))[1]!)).toEqual({
    place: 1,
    ids: ["2", "3"],
  });
  expect(versionsOf(after, entriesOf(branchTo(after, "5"))[1]!)).toEqual({
    place: 1,
    ids: ["5", "3"],
  });
});

it("an answer has its model's runs and its tools' runs, and parallel tools take as long as the longest", () => {
  const run = (id: string, finishedAt: number | null) =>
    ({ id, startedAt: 1_000, finishedAt }) as Run;
  const entry: Entry = [
    say("a", "q", "assistant", { runId: "first" }),
    say("b", "a", "tool", {
      parts: [gave("1", "picture"), gave("2", null), gave("3", "film"), gave("4", "gone")],
    }),
    say("c", "b", "assistant", { runId: "second" }),
  ];
  const parts = partsOfAnswer(entry, [
    run("second", null),
    run("film", 9_000),
    run("picture", 4_000),
    run("first", 2_000),
  ]);
  expect(parts.map(({ run: { id }, message }) => [id, message.id])).toEqual([
    ["first", "a"],
    ["picture", "b"],
    ["film", "b"],
    ["second", "c"],
  ]);
  expect(workedMs(parts)).toBe(9_000);
});

it("an announced answer keeps one id, and is over when its last round is", () => {
  const open: Entry = [say("a", "q", "assistant"), say("b", "a", "tool", { state: "streaming" })];
  expect(answerState(open)).toEqual({ id: "a", state: "streaming" });
  expect(
    answerState([
      ...open.slice(0, 1),
      say("b", "a", "tool"),
      say("c", "b", "assistant"),
    ] as unknown as Entry),
  ).toEqual({
    id: "a",
    state: "complete",
  });
  const problem = {
    type: "problem",
    error: { code: "conflict", message: "", advice: "" },
  } as unknown as MessagePart;
  expect(answerState([open[0], say("b", "a", "tool", { parts: [problem] })])).toEqual({
    id: "a",
    state: "interrupted",
  });
  expect(answerState([say("q", null, "user")])).toBeUndefined();
  expect(answerState(undefined)).toBeUndefined();
});

it("rounds that refer to each other end", () => {
  const loop = buildTree([say("a", "b", "assistant"), say("b", "a", "tool")]);
  const [entry] = entriesOf(branchTo(loop, "a"));
  expect(questionOf(loop, entry!)).toBeUndefined();
  expect(versionsOf(loop, entry!)).toEqual({ place: 0, ids: [] });
});
