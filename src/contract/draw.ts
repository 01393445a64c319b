import type { Asset, CostBasis, ModelRef } from "./entities.ts";
import type { ProblemBody } from "./errors.ts";
import type { JsonObject } from "./json.ts";

/**
 * The live canvas's socket. Text frames are JSON requests and events. Binary frames carry pictures
 * packed by domain/packed-frame.ts: drawings to the server, frames of the model to the browser.
 */
export const drawPath = "/api/v1/draw";

/**
 * Requests of the browser. A session starts with its model and settings, followed by its first
 * input.
 */
export type DrawRequest =
  | { start: { projectId: string; model: ModelRef; settings: JsonObject } }
  | { stop: true }
  /** Pins a displayed frame, by its session's run and its number. */
  | { pin: { runId: string; frame: number } };

/**
 * Precedes the bytes of a drawing. Without bytes the last drawing still applies, unless `isBlank`
 * says that the canvas is empty.
 */
export type DrawInput = { input: number; settings: JsonObject; mime?: string; isBlank?: boolean };

/**
 * Precedes the bytes of a frame: the input that it answers, the model's time, and the time that
 * Bottega added.
 */
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

/** A session's usage. `costMicros` is null if the cost is unknown. */
export type SessionMoney = {
  costMicros: number | null;
  heldMicros: number;
  seconds: number;
  answers: number;
};

/** Events for the browser. */
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
        /**
         * Whether the server is shutting down, so that a new session can start after its restart.
         */
        isServerStop: boolean;
      };
    }
  | { pinned: { runId: string; frame: number; asset: Asset } }
  | {
      failed:
        | { of: "start"; problem: ProblemBody }
        | { of: "pin"; runId: string; frame: number; problem: ProblemBody };
    };
