import type { ServerResponse } from "node:http";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { ServerDeps } from "../../deps.ts";
import { createNeighbours } from "./neighbours.ts";

/**
 * The client waits at least three quarters of 500 ms before it repeats a direct run. A request that
 * arrives sooner after a response is a new one.
 */
const directRepeatLeastMs = 300;
/**
 * The sum of the client's longest waits before its last repeat, plus a server restart in between.
 */
export const repeatMostMs = 2 * 60_000;
/**
 * A direct run's response is the last the client hears of it. An equal request that arrives later
 * than the first repeat would is a new one.
 */
const directRepeatMostMs = 1_000;
/**
 * A client that disappears silently, such as a phone between two networks, leaves a connection that
 * looks open while nothing is sent. TCP keep-alive probes detect it in about four seconds. Behind a
 * proxy, they probe the proxy.
 */
const probes = [true, 1_000, 1_000, 3] as const;

/**
 * The state of the response to a request. `open`: the client waits. `sent`: a direct run's result
 * was sent completely. `lost`: the connection broke before that, so the next equal request is the
 * repeat. `over`: no repeat is expected, as after a submit's response was sent completely; for fal,
 * too, an equal one is a new request.
 */
type Line = { is: "open" | "sent" | "lost" | "over"; at: number };
/**
 * A request that this server is answering, or has answered recently, from before its run is
 * admitted. `key` is the key its run is found by.
 */
export type Answer = { scope: string; key: string; isDirect: boolean; run: Promise<OwnedRun> };
type Known = Answer & { line: Line; endSpeaking(): void };

export function createAnswers(deps: Pick<ServerDeps, "store" | "clock" | "log" | "hub">) {
  const neighbours = createNeighbours(deps);
  const known = new Map<string, Known>();
  const lineOf = (is: Line["is"]): Line => ({ is, at: deps.clock.monotonic() });

  function isRepeated({ line }: Known, arrivedAt: number): boolean {
    if (line.is !== "sent") return line.is === "lost";
    const sinceMs = arrivedAt - line.at;
    return sinceMs >= directRepeatLeastMs && sinceMs <= directRepeatMostMs;
  }

  function forget(key: string): void {
    known.get(key)?.endSpeaking();
    known.delete(key);
  }

  return {
    forget,
    forgetOld(): void {
      const now = deps.clock.monotonic();
      for (const [key, { line }] of known)
        if (line.is !== "open" && now - line.at > repeatMostMs) forget(key);
    },

    get: (key: string): Answer | undefined => known.get(key),

    /**
     * Whether an equal request with this arrival time repeats this one; undefined when this server
     * doesn't know the key.
     */
    isRepeated(key: string, arrivedAt: number): boolean | undefined {
      const answer = known.get(key);
      return answer && isRepeated(answer, arrivedAt);
    },

    /**
     * Returns the keys of known requests that an equal request with this arrival time may repeat.
     */
    listRepeated: (scope: string, arrivedAt: number): string[] =>
      [...known.values()]
        .filter((answer) => answer.scope === scope && isRepeated(answer, arrivedAt))
        .map(({ key }) => key),

    /**
     * Asks the other servers whether the key may be repeated. It may, unless one of them knows
     * otherwise.
     */
    mayBeRepeatedElsewhere: async (key: string): Promise<boolean> =>
      !(await neighbours.saysAnother(key)),

    isLost: (key: string): boolean => known.get(key)?.line.is === "lost",

    /**
     * Registers the response that is sent here. Whether it was sent completely is known once its
     * socket closes.
     * @param onceNoRepeat called when no repeat is expected any more
     */
    give(answer: Answer, outgoing: ServerResponse, onceNoRepeat: () => void): void {
      const { key } = answer;
      const endSpeaking =
        known.get(key)?.endSpeaking ??
        neighbours.speakFor(key, () => !isRepeated(given, deps.clock.monotonic()));
      const given: Known = Object.assign(answer, {
        line: lineOf(outgoing.destroyed ? "lost" : "open"),
        endSpeaking,
      });
      known.set(key, given);
      outgoing.req.socket.setKeepAlive(...probes);
      outgoing.once("finish", () => {
        if (given.line.is !== "open") return;
        const sent = lineOf(given.isDirect ? "sent" : "over");
        given.line = sent;
        if (!given.isDirect) return onceNoRepeat();
        setTimeout(() => given.line === sent && onceNoRepeat(), directRepeatMostMs).unref();
      });
      outgoing.once("close", () => {
        if (!outgoing.writableFinished && given.line.is === "open") given.line = lineOf("lost");
      });
    },

    /** Makes equal requests count as new ones from now on. */
    end(key: string): void {
      const answer = known.get(key);
      if (answer) answer.line = lineOf("over");
    },
  };
}
