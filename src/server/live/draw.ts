import type { IncomingMessage } from "node:http";
import type { RawData, WebSocket } from "ws";
import { drawInput, drawRequest } from "#contract/draw.schemas.ts";
import type { DrawFrame, DrawInput, DrawNews, DrawRequest } from "#contract/draw.ts";
import { Problem, type ProblemBody, toProblemBody } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { socketClosedSignedOut } from "#contract/live.ts";
import { sentences } from "#contract/sentences/index.ts";
import { packFrame, unpackFrame } from "#domain/files/packed-frame.ts";
import { decide } from "#domain/people/policy.ts";
import { cleanJson } from "#domain/schemas/clean-json.ts";
import { parseBounded, requestBounds } from "#domain/schemas/json-scan.ts";
import { problemOf } from "#engine/persist.ts";
import type { Canvas, LiveSession } from "#engine/sessions/live-session.ts";
import type { CanvasInput, ShownFrame } from "#engine/sessions/relay.ts";
import { findScope } from "#store/people/scopes.ts";
import { credentialsOf, identify, type SignedIn } from "../auth/identify.ts";
import { readClientConnection } from "../client-connection.ts";
import type { ServerDeps } from "../deps.ts";
import { watchRights } from "../still-allowed.ts";

const keepAliveMs = 30_000;
/** The number of inputs accepted at once, as after a slow connection recovers. */
const burst = 5 * limits.drawInputsPerSecond;

/**
 * Serves the live canvas: drawings in, frames out, one session at a time. Only the newest of each
 * is queued: a slow reader skips frames, and a slow model skips strokes.
 */
export function serveDraw(
  ws: WebSocket,
  deps: ServerDeps,
  me: SignedIn,
  incoming: IncomingMessage,
): void {
  const userId = me.user.id;
  let session: LiveSession | undefined;
  /** Requests are handled in sequence, so that a stop can't overtake its start. */
  let work: Promise<void> = Promise.resolve();
  let starting = false;
  let waiting: CanvasInput | undefined;
  let drawing: CanvasInput["drawing"] = null;
  let late: { frame: ShownFrame; runId: string } | undefined;
  let tokens = burst;
  let filledAt = deps.clock.monotonic();

  const say = (news: DrawNews): void => {
    if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(news));
  };

  function show(frame: ShownFrame, runId: string): void {
    if (ws.readyState !== ws.OPEN) return;
    if (ws.bufferedAmount > limits.socketBufferBytes) {
      late = { frame, runId };
      return;
    }
    const { bytes, of, frame: number, mime, width, height, seed, modelMs, ownMs } = frame;
    const header: DrawFrame = { runId, frame: number, input: of.input, mime, modelMs, ownMs };
    const facts = {
      ...(width !== undefined && height !== undefined && { width, height }),
      ...(seed !== undefined && { seed }),
    };
    ws.send(packFrame({ ...header, ...facts }, bytes), () => {
      const next = late;
      late = undefined;
      if (next) show(next.frame, next.runId);
    });
  }
  const canvas: Canvas = { frame: show, news: say };

  async function start(ask: Extract<DrawRequest, { start: unknown }>["start"]): Promise<void> {
    await session?.end({ by: "person" });
    session = undefined;
    const actor = { userId, role: me.user.role, status: me.user.status };
    const verdict = decide(
      actor,
      "edit",
      await findScope(deps.store.read, "project", ask.projectId, userId),
    );
    if (verdict === "hidden") throw new Problem("not_found");
    if (verdict !== "allowed") throw new Problem("forbidden");
    const opened = await deps.engine.openSession(
      { userId },
      { ...ask, settings: ask.settings as JsonObject },
      canvas,
    );
    if (ws.readyState !== ws.OPEN) return void (await opened.end({ by: "gone" }));
    session = opened;
    if (waiting) opened.ask(waiting);
    waiting = undefined;
  }

  async function answer(request: DrawRequest): Promise<void> {
    try {
      if ("start" in request) await start(request.start).finally(() => (starting = false));
      else if ("stop" in request) await session?.end({ by: "person" });
      else {
        const { runId, frame } = request.pin;
        say({ pinned: { runId, frame, asset: await deps.engine.pinFrame(userId, runId, frame) } });
      }
    } catch (error) {
      const problem = toWire(deps, error);
      if ("pin" in request) {
        const { runId, frame } = request.pin;
        say({ failed: { of: "pin", runId, frame, problem } });
      } else say({ failed: { of: "start", problem } });
    }
  }

  function take(input: DrawInput, bytes: Uint8Array): void {
    if (input.isBlank) drawing = null;
    else if (input.mime !== undefined) {
      if (!isPicture(input.mime, bytes)) {
        say({ refused: { input: input.input, problem: toProblemBody(notAPicture) } });
        return;
      }
      // Copies the bytes, because the socket may reuse its buffer.
      drawing = { mime: input.mime, bytes: Uint8Array.from(bytes) };
    }
    const asked = { input: input.input, settings: input.settings, drawing };
    if (starting || !session) waiting = asked;
    else if (!session.isOver()) session.ask(asked);
  }

  /** False for a flood of inputs, which our canvas never sends. */
  function mayTake(): boolean {
    const now = deps.clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - filledAt) / 1_000) * limits.drawInputsPerSecond);
    filledAt = now;
    tokens -= 1;
    return tokens >= 0;
  }

  ws.on("message", (data, isBinary) => {
    if (!mayTake()) return ws.close(1008, "too many at once");
    if (isBinary) {
      const packed = unpackFrame(toBytes(data));
      const header = packed && parse(() => drawInput.parse(cleanJson(packed.header)) as DrawInput);
      if (!packed || !header) return ws.close(1008, "not understood");
      take(header, packed.bytes);
      return;
    }
    const request = parse(
      () => drawRequest.parse(cleanJson(parseBounded(toBytes(data), requestBounds))) as DrawRequest,
    );
    if (!request) return ws.close(1008, "not understood");
    if ("start" in request) {
      starting = true;
      waiting = undefined;
    }
    work = work.then(() => answer(request));
  });

  async function recheck(): Promise<void> {
    const line = readClientConnection(incoming, deps.settings);
    const still = await identify(deps, {
      headers: credentialsOf(incoming),
      encrypted: line.encrypted,
    });
    if (!still || still.user.id !== userId) ws.close(socketClosedSignedOut, "signed out");
  }
  const recheckSafely = (): void =>
    void recheck().catch((error) =>
      deps.log.warn({ error: String(error) }, "could not check a canvas's rights"),
    );
  const endWatch = watchRights(deps, { userId }, recheckSafely);

  let isAlive = true;
  const pinging = setInterval(() => {
    if (!isAlive) return ws.terminate();
    isAlive = false;
    ws.ping();
  }, keepAliveMs);
  ws.on("pong", () => {
    isAlive = true;
  });
  ws.on("error", () => ws.terminate());
  ws.on("close", () => {
    clearInterval(pinging);
    endWatch();
    void session?.end({ by: "gone" });
  });
}

function parse<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // Our client never sends such a frame: the caller closes the socket.
    return undefined;
  }
}

const toBytes = (data: RawData): Uint8Array =>
  Array.isArray(data)
    ? Buffer.concat(data)
    : data instanceof ArrayBuffer
      ? new Uint8Array(data)
      : data;

/** Checks the signature, so that a decoder gets the format that was declared. */
function isPicture(mime: string, bytes: Uint8Array): boolean {
  const begins = (...signature: number[]): boolean =>
    signature.every((byte, i) => bytes[i] === byte);
  if (mime === "image/jpeg") return begins(0xff, 0xd8, 0xff);
  if (mime === "image/png") return begins(0x89, 0x50, 0x4e, 0x47);
  return (
    mime === "image/webp" &&
    begins(0x52, 0x49, 0x46, 0x46) &&
    bytes[8] === 0x57 &&
    bytes[11] === 0x50
  );
}

const notAPicture = new Problem("unsupported_media", {
  message: sentences.media.drawingTypeWrong,
});

/** Converts an error to the API's form, and logs unexpected ones. */
function toWire(deps: Pick<ServerDeps, "log">, error: unknown): ProblemBody {
  const problem = problemOf(error);
  if (problem.code === "internal")
    deps.log.error(
      { error: error instanceof Error ? error.stack : String(error) },
      "a canvas failed",
    );
  return toProblemBody(problem);
}
