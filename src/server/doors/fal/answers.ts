import type { ServerResponse } from "node:http";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { ServerDeps } from "../../deps.ts";
import { createNeighbours } from "./neighbours.ts";

/** The client waits at least three quarters of 500 ms before it repeats a direct run: what comes sooner after an answer is another request. */
const directRepeatLeastMs = 300;
/** Its longest waits before its last repeat, together, and a server's restart in between. */
export const repeatMostMs = 2 * 60_000;
/** A direct run's answer is the last that the client says of it: an equal request later than its first repeat would come is another. */
const directRepeatMostMs = 1_000;
/**
 * A client that disappears silently (a phone between two networks) leaves a connection that looks open while nothing is sent. Probes of
 * TCP detect it in about four seconds. They probe the peer of the connection: behind a proxy that is the proxy.
 */
const probes = [true, 1_000, 1_000, 3] as const;

/**
 * The state of the answer to a request. `open`: its client waits. `sent`: the result of a direct run went out whole. `lost`: the connection
 * broke before that, so the next equal request is its repeat. `over`: no repeat is to be expected, as of a submit whose answer went out
 * whole: at fal, too, an equal one is another request.
 */
type Line = { is: "open" | "sent" | "lost" | "over"; at: number };
/** A request that this server answers, or has answered lately, from before its run is admitted. `key`: what its run is found by. */
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

    /** Whether an equal request that arrived then is a repeat of this one; undefined when this server does not know of it. */
    isRepeated(key: string, arrivedAt: number): boolean | undefined {
      const answer = known.get(key);
      return answer && isRepeated(answer, arrivedAt);
    },

    /** What equal requests that arrived then may repeat, of those that this server knows of. */
    listRepeated: (scope: string, arrivedAt: number): string[] =>
      [...known.values()]
        .filter((answer) => answer.scope === scope && isRepeated(answer, arrivedAt))
        .map(({ key }) => key),

    /** The same, asked of the other servers. If none knows better, it may be. */
    mayBeRepeatedElsewhere: async (key: string): Promise<boolean> =>
      !(await neighbours.saysAnother(key)),

    isLost: (key: string): boolean => known.get(key)?.line.is === "lost",

    /**
     * From now on the answer goes out here. Whether it did so whole is known when its socket is done with it.
     * @param onceNoRepeat when no repeat is to be expected any more
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

    /** An equal request is another one from now on. */
    end(key: string): void {
      const answer = known.get(key);
      if (answer) answer.line = lineOf("over");
    },
  };
}
