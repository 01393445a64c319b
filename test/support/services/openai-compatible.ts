import { onTestFinished } from "vitest";
import type { OpenConnection } from "#providers/adapter.ts";
import type { OutboundOptions } from "#providers/outbound/outbound.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import {
  type OpenAiCompatible,
  type SimulatorOptions,
  startOpenAiCompatible,
} from "../../simulators/openai-compatible.ts";
import { buildContext } from "../contracts/attempt.ts";

/** A simulator, and the context of a paid attempt on a connection to it. Stopped with the test. */
export async function buildAttempt(
  options: {
    simulator?: SimulatorOptions;
    connection?: Partial<OpenConnection>;
    outbound?: Partial<OutboundOptions>;
    signal?: AbortSignal;
  } = {},
) {
  const simulator: OpenAiCompatible = await startOpenAiCompatible(options.simulator);
  onTestFinished(() => simulator.stop());
  const { id: _, ...connection } = options.connection ?? {};
  const attempt = buildContext({
    origin: new URL(simulator.url).origin,
    connection: {
      kind: openaiCompatible.kind,
      addresses: { api: simulator.url },
      options: {},
      secret: simulator.key || null,
      ...connection,
    },
    outbound: options.outbound,
    signal: options.signal,
  });
  return { simulator, ...attempt };
}
