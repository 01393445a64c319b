import { onTestFinished } from "vitest";
import { createOutbound } from "#providers/outbound/outbound.ts";
import { fal } from "#providers/services/fal/adapter.ts";
import { collect } from "../contracts/attempt.ts";
import { falRefusals, ofModel, ofPlatform, picture, type Said, startQueue } from "./fal.ts";
import { endsWithoutAWord, keyComesFirst, requestComesFirst } from "./openai.ts";
import type { Column, LateRefusal, Refusal } from "./table.ts";

const bodyOf = (refusal: Refusal): LateRefusal => ({ error: refusal.body });
const opensOnly = "Opening a line asks for nothing that could be refused so.";

/**
 * The message that fal's runtime sends if a model throws anything (projects/fal/src/fal/realtime.py
 * in github.com/fal-ai/fal).
 */
const thrown = (reason: string): LateRefusal => ({
  error: { type: "x-fal-error", error: "INTERNAL_ERROR", reason },
});

/**
 * A connection is opened with a token, which costs nothing, so its refusal means that nothing was
 * accepted.
 */
const free = (refusal: Refusal, otherwise: Partial<Refusal> = {}): Refusal => ({
  ...refusal,
  accepted: "no",
  ...otherwise,
});

export const falLineColumns: readonly Column[] = [
  {
    name: "fal, streaming",
    adapter: fal,
    reference: "https://docs.fal.ai/model-apis/errors",
    async start() {
      const {
        fal: sim,
        simulator,
        ...started
      } = await startQueue({ streamModels: "sim/flux/dev" });
      const script: typeof simulator.script = (next) =>
        next.fault?.kind === "error-event"
          ? sim.failStream(next.fault.error as object)
          : simulator.script(next);
      return { ...started, simulator: { ...simulator, script } };
    },
    request: picture,
    ask: async (_started, context) => (await collect(fal.answer!(picture, context))).error,
    before: falRefusals,
    // A stream depends on its app; these are the shapes of errors elsewhere.
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": {
        ...bodyOf(
          ofModel(422, "string_too_long", "String should have at most 5000 characters", "prompt"),
        ),
        code: "provider_invalid_input",
      },
      filter: bodyOf(
        ofModel(
          422,
          "content_policy_violation",
          "The content could not be processed because it was flagged.",
          "prompt",
        ),
      ),
      "wrong setting": bodyOf(
        ofModel(
          422,
          "image_load_error",
          "Failed to load the image. Please ensure it is not corrupted.",
          "image_url",
        ),
      ),
      "model gone": requestComesFirst,
      overload: bodyOf(
        ofModel(
          503,
          "downstream_service_unavailable",
          "The service behind this model is unavailable.",
        ),
      ),
      timeout: [
        bodyOf(ofModel(504, "generation_timeout", "The generation timed out.")),
        bodyOf(ofPlatform(504, "request_timeout", "Request timed out")),
      ],
      "broken server": [
        { error: { error: { message: "Runner disconnected in the middle" } } },
        { error: { error: "the runner was shut down" } },
        { error: { detail: "Something went wrong in the app" } },
      ],
    },
  },
  {
    name: "fal, realtime",
    adapter: fal,
    reference: "https://github.com/fal-ai/fal/blob/main/projects/fal/src/fal/realtime.py",
    async start() {
      const { fal: sim, simulator, ...started } = await startQueue();
      const script: typeof simulator.script = ({ fault }) => {
        if (fault?.kind === "error-event") sim.realtime.fail(fault.error as object);
        else if (fault?.kind === "status") sim.interrupt({ kind: "status", ...(fault as Said) });
      };
      return { ...started, simulator: { ...simulator, script, posts: sim.realtime.inputs } };
    },
    request: picture,
    opensFree: true,
    async ask({ origin }, context) {
      const outbound = createOutbound();
      onTestFinished(() => outbound.close());
      const openSocket = outbound.openSocket({ privateOrigins: [origin], mostBytes: 1024 ** 2 });
      const notified = Promise.withResolvers<unknown>();
      const on = {
        frames: () => notified.resolve(null),
        refused: notified.resolve,
        closed: notified.resolve,
      };
      try {
        const session = await fal.realtime!.open(
          { id: "sim/lcm", inputSchema: null, capabilities: {} },
          { ...context, openSocket },
          on,
        );
        session.send({ settings: { prompt: "a fox" }, drawing: null });
        return await notified.promise;
      } catch (error) {
        return error;
      }
    },
    before: {
      "rate limit": falRefusals["rate limit"],
      "used up": falRefusals["used up"],
      "wrong key": falRefusals["wrong key"],
      "missing right": falRefusals["missing right"],
      "too long": opensOnly,
      filter: opensOnly,
      "wrong setting": opensOnly,
      "model gone": "The handshake says it, without a body, which the line's own tests try.",
      overload: free(ofPlatform(503, "runner_scheduling_failure", "No runner could be allocated")),
      timeout: free(ofPlatform(504, "startup_timeout", "The runner did not start in time")),
      "broken server": free(ofPlatform(500, "internal_error", "Internal error, sorry"), {
        code: "provider_overloaded",
      }),
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      // Sent by a gateway in front of the runner: nothing was run.
      "wrong key": {
        error: { status: "error", error: "Unauthorized" },
        accepted: "no",
        isSilent: true,
      },
      "missing right": keyComesFirst,
      "too long": {
        ...thrown(
          "1 validation error for RealtimeInput\nprompt\n  String should have at most 5000 characters [type=string_too_long]",
        ),
        code: "provider_invalid_input",
      },
      filter: thrown(
        "The content could not be processed because it was flagged by a content checker.",
      ),
      "wrong setting": thrown(
        "1 validation error for RealtimeInput\nseed\n  Input should be a valid integer [type=int_type, input_value='x']",
      ),
      "model gone": requestComesFirst,
      overload: thrown("CUDA out of memory. Tried to allocate 2.00 GiB."),
      timeout: endsWithoutAWord,
      "broken server": thrown("list index out of range"),
    },
  },
];
