import { expect, it } from "vitest";
import { untilReached } from "./again.ts";
import { CannotAsk, Unreachable } from "./problems.ts";

it("a refusal after a broken attempt doesn't say that nothing was started", async () => {
  const answers = [new Unreachable("broke"), new CannotAsk("refused")];
  const work = () => Promise.reject(answers.shift()!);
  await expect(untilReached(work, [0, 0])).rejects.toBeInstanceOf(Unreachable);
  const refused = () => Promise.reject(new CannotAsk("refused"));
  await expect(untilReached(refused, [0, 0])).rejects.toBeInstanceOf(CannotAsk);
});
