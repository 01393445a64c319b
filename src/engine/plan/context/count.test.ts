import { expect, it } from "vitest";
import type { Message } from "#contract/entities.ts";
import { countSent } from "./count.ts";

const say = (role: Message["role"], parts: Message["parts"]) =>
  ({ role, state: "complete", runId: null, parts }) as const;

it("a file that an answer made isn't counted with the next request, an attached one is", () => {
  const sent = [
    say("user", [
      { type: "text", text: "plot it" },
      { type: "file", assetId: "attached" },
    ]),
    say("assistant", [
      { type: "text", text: "done" },
      { type: "file", assetId: "made" },
    ]),
  ];
  expect(countSent({ choice: undefined, leftOut: [], sent, summary: "" }).fileIds).toEqual([
    "attached",
  ]);
});
