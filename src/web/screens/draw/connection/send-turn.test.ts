import { expect, it } from "vitest";
import {
  firstTurn,
  leastMs,
  waitMs,
  withAnswer,
  withChange,
  withLoss,
  withSent,
} from "./send-turn.ts";

it("sends only the newest change, and waits while two are unanswered", () => {
  let turn = withChange(firstTurn);
  expect(waitMs(turn, 1_000)).toBe(0);
  turn = withSent(turn, 1_000);
  expect(waitMs(turn, 1_000)).toBeUndefined();
  turn = withChange(turn);
  expect(waitMs(turn, 1_010)).toBe(leastMs - 10);
  turn = withChange(withSent(turn, 1_030));
  expect(waitMs(turn, 2_000)).toBeUndefined();
  turn = withAnswer(turn, 0);
  expect(waitMs(turn, 2_000)).toBe(0);
});

it("a frame answers earlier inputs too, and a lost connection sends the newest again", () => {
  let turn = withSent(withChange(withSent(withChange(firstTurn), 0)), 100);
  expect(turn.out).toEqual([0, 1]);
  turn = withAnswer(turn, 1);
  expect(turn.out).toEqual([]);
  expect(withLoss(turn).isDirty).toBe(false);
  turn = withLoss(withSent(withChange(turn), 200));
  expect(turn).toMatchObject({ out: [], isDirty: true, nextInput: 3 });
});
