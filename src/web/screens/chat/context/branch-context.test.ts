import { expect, it } from "vitest";
import type { Message } from "#contract/entities.ts";
import { messageOf } from "../../../../../test/support/messages.ts";
import { cutPointsOf } from "./branch-context.ts";

const say = (id: string, role: Message["role"], text: string): Message =>
  messageOf(id, null, role, { parts: [{ type: "text", text }] });

it("a cut counts items of the thread, where an answer with its rounds is one", () => {
  const branch = [
    say("1", "user", "draw"),
    say("2", "assistant", "may I"),
    say("3", "tool", ""),
    say("4", "assistant", "there"),
    say("5", "user", "and now?"),
    say("6", "assistant", "this"),
    say("7", "user", "thanks"),
  ];
  const points = cutPointsOf(branch).map(({ first, upTo, leavesOut }) => [
    first.id,
    upTo,
    leavesOut,
  ]);
  expect(points).toEqual([
    ["7", "6", 4],
    ["5", "4", 2],
  ]);
});
