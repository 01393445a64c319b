import type { Asset, CostBasis, ModelRef } from "./entities.ts";
import type { ProblemBody } from "./errors.ts";
import type { JsonObject } from "./json.ts";

/**
 * The live canvas's socket. Text frames are JSON: what is asked and what happened. Binary frames carry pictures, packed as
 * domain/packed-frame.ts says: drawings in, the model's frames out.
 */
export const drawPath = "/api/v1/draw";

/** From the browser. A session begins with what it is of, and its first input follows. */
export type DrawRequest =
  | { start: { projectId: string; model: ModelRef; settings: JsonObject } }
  | { stop: true }
  /** Pin a frame that was shown, by its session's run and its number. */
  | { pin: { runId: string; frame: number } };

/** Before the bytes of a drawing. Without bytes the last drawing counts on, unless `isBlank`: nothing is drawn any more. */
export type DrawInput = { input: number; settings: JsonObject; mime?: string; isBlank?: boolean };

/** Before the bytes of a frame: which input it answers, how long the model took, and what Bottega added. */
export type DrawFrame = {
  runId: string;
  frame: number;
  input: number;
  mime: string;
  width?: number;
  height?: number;
  seed?: number;
  modelMs: number;
  ownMs: number;
};

/** What a session has used: null where nobody knows what that costs. */
export type SessionMoney = {
  costMicros: number | null;
  heldMicros: number;
  seconds: number;
  answers: number;
};

/** To the browser. */
export type DrawNews =
  | { started: { runId: string } & SessionMoney }
  | { money: SessionMoney }
  /** The model returned no frame for this input. The session continues. */
  | { refused: { input: number; problem: ProblemBody } }
  /** The session continues only until its reserved money is used up. */
  | { ending: { problem: ProblemBody } }
  | {
      ended: {
        runId: string;
        reason: string;
        problem: ProblemBody | null;
        costMicros: number | null;
        costBasis: CostBasis | null;
        /** Another session can begin once the server is back. */
        isServerStop: boolean;
      };
    }
  | { pinned: { runId: string; frame: number; asset: Asset } }
  | { failed: { of: "start" | "pin"; frame?: number; problem: ProblemBody } };
