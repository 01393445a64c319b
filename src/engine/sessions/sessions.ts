import { setTimeout as sleep } from "node:timers/promises";
import type { Asset, ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isDrawnOn } from "#store/runs/claims.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import type { SessionEnd } from "../settle/settle-session.ts";
import { admitSession, type SessionAsk } from "./admit-session.ts";
import { issueToken, type TokenAsk } from "./issue-token.ts";
import { type Canvas, createLiveSession, type LiveSession } from "./live-session.ts";
import { type PinnedDrawings, pinFrame } from "./pin-frame.ts";

/**
 * The most ended sessions kept on this server so that their last frames can be pinned. The oldest
 * are dropped first.
 */
const maxEnded = 50;
/** How long a stop waits for sessions of other servers. */
const elsewhereMs = 5_000;

type Known = {
  session: LiveSession;
  userId: string;
  model: ModelDetail;
  drawings: PinnedDrawings;
  pinning: Promise<unknown>;
  endedAt: number | null;
};

/** The live sessions of this server, from its start to its stop. */
export function createSessions(deps: EngineDeps, workerId: string) {
  const known = new Map<string, Known>();
  const giveUp = new AbortController();
  let isDraining = false;
  let isStopping = false;
  /**
   * The number of sessions being admitted. Their runs belong to this worker before `known` contains
   * them.
   */
  let admitting = 0;

  const open = (): Known[] => [...known.values()].filter(({ endedAt }) => endedAt === null);

  function forgetOld(): void {
    const ended = [...known].filter(([, { endedAt }]) => endedAt !== null);
    const now = deps.clock.monotonic();
    const old = ended.filter(
      ([, { endedAt }], i) => now - endedAt! > limits.pinnableMs || i < ended.length - maxEnded,
    );
    for (const [id] of old) known.delete(id);
  }

  const endAll = (of: readonly Known[], end: SessionEnd): Promise<unknown> =>
    Promise.all(of.map(({ session }) => session.end(end)));

  return {
    /** @throws Problem as `admitSession` does, and unavailable while the server stops */
    async open(asker: Asker, ask: SessionAsk, canvas: Canvas): Promise<LiveSession> {
      if (isDraining)
        throw new Problem("unavailable", {
          message: sentences.sessions.stopping,
        });
      forgetOld();
      admitting += 1;
      try {
        const admitted = await admitSession(deps, asker, ask, workerId);
        const session = createLiveSession(deps, admitted, canvas, giveUp.signal, () => {
          const entry = known.get(admitted.run.id);
          if (entry) entry.endedAt = deps.clock.monotonic();
        });
        const { model } = admitted;
        known.set(admitted.run.id, {
          session,
          userId: asker.userId,
          model,
          drawings: new Map(),
          pinning: Promise.resolve(),
          endedAt: null,
        });
        if (isStopping) void session.end({ by: "stop" });
        return session;
      } finally {
        admitting -= 1;
      }
    },

    /** @throws Problem as `issueToken` does, and unavailable while the server stops */
    async issueToken(asker: Asker, ask: TokenAsk): Promise<string> {
      if (isDraining) throw new Problem("unavailable", { message: sentences.sessions.stopping });
      admitting += 1;
      try {
        return await issueToken(deps, asker, ask, workerId, giveUp.signal);
      } finally {
        admitting -= 1;
      }
    },

    /**
     * Pins a session's frames one at a time.
     * @throws Problem not_found for another person's frame or one no longer in memory
     */
    async pin(userId: string, runId: string, frame: number): Promise<Asset> {
      const entry = known.get(runId);
      const shown = entry?.userId === userId ? entry.session.frameOf(frame) : undefined;
      if (!entry || !shown)
        throw new Problem("not_found", {
          message: sentences.sessions.frameGone,
          advice: sentences.sessions.saveFromPage,
        });
      const { session, model, drawings } = entry;
      const pinning = entry.pinning.then(() =>
        pinFrame(deps, { run: session.run, model, drawings }, shown),
      );
      entry.pinning = pinning.catch(() => undefined);
      return pinning;
    },

    /**
     * Ends the session if it is open on this server.
     * @returns whether it is
     */
    cancel(runId: string): boolean {
      const entry = known.get(runId);
      if (!entry || entry.endedAt !== null) return false;
      void entry.session.end({ by: "cancel" });
      return true;
    },

    /** Whether a run of this worker is, or may be about to become, an open session here. */
    has: (runId: string): boolean => admitting > 0 || known.get(runId)?.endedAt === null,

    /**
     * Ends this server's sessions on a connection, and waits briefly for the other servers to do
     * the same.
     */
    async endOf(connectionId: string): Promise<void> {
      const problem = new Problem("model_gone", {
        connectionId,
        message: sentences.connections.disabled,
      });
      await endAll(
        open().filter(({ session }) => session.run.connectionId === connectionId),
        { by: "rights", problem },
      );
      for (
        let waited = 0;
        waited < elsewhereMs && (await isDrawnOn(deps.store.db, connectionId));
        waited += 100
      )
        await sleep(100);
    },

    size: () => open().length,

    /**
     * Releases all sessions, because this worker was declared dead and its runs belong to another.
     */
    letGo(): void {
      for (const { session } of open()) session.letGo();
    },

    /** Opens no new session; open ones continue. */
    drain(): void {
      isDraining = true;
    },

    /** Settles every session or leaves it to the next owner. */
    async stop(): Promise<void> {
      isDraining = true;
      isStopping = true;
      const late = setTimeout(() => giveUp.abort(), limits.stopMs);
      await endAll(open(), { by: "stop" });
      await Promise.allSettled([...known.values()].map(({ pinning }) => pinning));
      clearTimeout(late);
      giveUp.abort();
    },
  };
}
