import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { replyJson } from "../http-reply.ts";
import type { SimulatedModel } from "./catalogue.ts";
import { checkInput } from "./check-input.ts";
import type { FalFaults } from "./faults.ts";
import { makePng } from "./media.ts";
import { readMsgpack, writeMsgpack } from "./msgpack.ts";

/** An input as received, and its outcome. */
type RealtimeInputSeen = {
  model: string;
  prompt: string;
  input: Record<string, unknown>;
  outcome: "frame" | "refused" | "held";
};
export type RealtimeSessionSeen = {
  model: string;
  openedAt: number;
  closedAt: number | null;
  closeCode: number | null;
  frames: number;
};
type Token = { apps: string[]; shape: "app" | "path"; expiresAt: number };

/** fal's own messages on the connection, in the shapes that its client distinguishes. */
const refusals = {
  "frame-invalid": {
    type: "x-fal-error",
    error: "INVALID_INPUT",
    reason: "seed: Input should be a valid integer",
  },
  "frame-policy": {
    type: "x-fal-error",
    error: "CONTENT_POLICY_VIOLATION",
    reason: "The content was flagged.",
  },
} as const;

/**
 * rest.fal.ai/tokens and wss://fal.run/{model}/realtime. A token opens sockets of its single app
 * until it expires, and is never the key; every frame is MessagePack, read and written by code
 * independent of the program's.
 */
export function createRealtime(deps: {
  models: ReadonlyMap<string, SimulatedModel>;
  faults: FalFaults;
  now: () => number;
  /** The time that the model takes per frame in ms, which it reports in `timings`. */
  modelMs: number;
}) {
  const { models, faults, now } = deps;
  const tokens = new Map<string, Token>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 32 * 1024 ** 2 });
  const sessions: RealtimeSessionSeen[] = [];
  const inputs: RealtimeInputSeen[] = [];
  const held = new Set<() => void>();
  const thrown: object[] = [];

  /**
   * Two shapes: {allowed_apps: [alias], token_expiration} answers a JSON string; /realtime
   * {allowed_apps: [path], duration} answers {token}.
   */
  function grant(response: ServerResponse, path: string, body: Record<string, unknown>): void {
    const isByPath = path === "tokens/realtime";
    const wrong = whyNoToken(body, isByPath);
    if (wrong) {
      const [loc, msg] = wrong;
      replyJson(response, 422, { detail: [{ loc: ["body", loc], msg, type: "value_error" }] });
      return;
    }
    const token = `jwt.${randomUUID()}`;
    const seconds = Number(isByPath ? body.duration : body.token_expiration);
    tokens.set(token, {
      apps: body.allowed_apps as string[],
      shape: isByPath ? "path" : "app",
      expiresAt: now() + seconds * 1_000,
    });
    replyJson(response, 201, isByPath ? { token } : token);
  }

  /** The model that a handshake requests, or the status with which it is refused. */
  function find(incoming: IncomingMessage): SimulatedModel | string {
    const address = new URL(incoming.url ?? "/", "http://sim");
    const path = decodeURIComponent(address.pathname).replace(/^\/realtime\//, "");
    if (!address.pathname.startsWith("/realtime/") || !path.endsWith("/realtime"))
      return "404 Not Found";
    // The key is for the server's own calls and must not be sent on a connection that a browser
    // could open.
    if (
      incoming.headers.authorization !== undefined ||
      [...address.searchParams.keys()].join() !== "fal_jwt_token"
    )
      return "400 Bad Request";
    const model = models.get(path) ?? models.get(path.replace(/\/realtime$/, ""));
    if (!model?.realtime) return "404 Not Found";
    const token = tokens.get(address.searchParams.get("fal_jwt_token") ?? "");
    const isFor = token?.apps.includes(token.shape === "path" ? path : (path.split("/")[1] ?? ""));
    if (!token || !isFor || token.expiresAt <= now() || faults.take("", "token-expired"))
      return "401 Unauthorized";
    return model;
  }

  function upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const found = find(incoming);
    if (typeof found === "string")
      socket.end(`HTTP/1.1 ${found}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    else sockets.handleUpgrade(incoming, socket, head, (ws) => serve(ws, found));
  }

  function serve(ws: WebSocket, model: SimulatedModel): void {
    const session: RealtimeSessionSeen = {
      model: model.id,
      openedAt: now(),
      closedAt: null,
      closeCode: null,
      frames: 0,
    };
    sessions.push(session);
    ws.on("close", (code) => {
      session.closedAt = now();
      session.closeCode = code;
    });
    ws.on("error", () => undefined);
    const send = (message: object) => ws.readyState === ws.OPEN && ws.send(writeMsgpack(message));
    send({ type: "x-fal-message", action: "connected" });
    let answered: Promise<unknown> = Promise.resolve();
    ws.on("message", (content: Buffer, isBinary) => {
      let input: unknown;
      try {
        if (!isBinary) throw new Error("a frame of text");
        input = readMsgpack(content);
      } catch (error) {
        ws.close(1003, String(error).slice(0, 100));
        return;
      }
      answered = answered.then(() => answer(ws, model, session, input, send));
    });
  }

  async function answer(
    ws: WebSocket,
    model: SimulatedModel,
    session: RealtimeSessionSeen,
    input: unknown,
    send: (message: object) => unknown,
  ) {
    const fields = (typeof input === "object" && input !== null ? input : {}) as Record<
      string,
      unknown
    >;
    const prompt = String(fields.prompt ?? "");
    const seen: RealtimeInputSeen = { model: model.id, prompt, input: fields, outcome: "refused" };
    inputs.push(seen);
    const failure = thrown.shift();
    if (failure) {
      // An exception in a model ends the session with a message and a regular close (fal's runtime,
      // realtime.py).
      ws.send(JSON.stringify(failure));
      return ws.close();
    }
    const issue =
      checkInput(fields, model.input, model.components)[0] ?? whyNoPicture(fields, model);
    if (issue)
      return send({
        type: "x-fal-error",
        error: "INVALID_INPUT",
        reason: issue.msg,
        detail: [issue],
      });
    for (const name of ["frame-invalid", "frame-policy"] as const)
      if (faults.take(prompt, name)) return send(refusals[name]);
    if (faults.take(prompt, "line-drop")) return ws.terminate();
    if (faults.take(prompt, "line-1011")) return ws.close(1011, "runner failed");
    if (faults.take(prompt, "line-1000")) return ws.close(1000);
    if (faults.take(prompt, "line-unauthorized"))
      return send({ status: "error", error: "Unauthorized" });
    if (faults.take(prompt, "frame-broken")) return ws.send(Buffer.of(0xdf, 0, 0, 0, 9));
    if (faults.take(prompt, "frame-hold")) {
      seen.outcome = "held";
      await new Promise<void>((resolve) => held.add(resolve));
    }
    if (faults.take(prompt, "frame-remark"))
      send({ type: "x-fal-error", error: "TIMEOUT", reason: "no input for a while" });
    if (deps.modelMs > 0) await new Promise((resolve) => setTimeout(resolve, deps.modelMs));
    seen.outcome = "frame";
    session.frames += 1;
    const seed = typeof fields.seed === "number" ? fields.seed : 35;
    const size = fields.image_size === "square_hd" ? 128 : 64;
    const image = makePng(`${prompt} ${seed} ${pictureOf(fields).length}`, size, size);
    // Readers ignore data after a PNG's end.
    const bytes = faults.take(prompt, "frame-large")
      ? Buffer.concat([image.bytes, Buffer.alloc(100_000)])
      : image.bytes;
    const content = faults.take(prompt, "frame-base64")
      ? Buffer.from(bytes).toString("base64")
      : bytes;
    send({
      images: [{ content, content_type: "image/png", width: size, height: size }],
      seed,
      timings: { inference: deps.modelMs / 1_000 },
      request_id: randomUUID(),
    });
  }

  return {
    grant,
    sessions,
    inputs,
    tokens,
    /** Makes the next input fail in the model, which ends the session with this message. */
    fail: (failure: object) => void thrown.push(failure),
    /** Releases every held frame. */
    release() {
      for (const go of held) go();
      held.clear();
    },
    listen(server: Server) {
      server.on("upgrade", upgrade);
    },
    /** Breaks every open connection without a close. */
    drop() {
      for (const ws of sockets.clients) ws.terminate();
    },
    stop() {
      this.release();
      this.drop();
      sockets.close();
    },
  };
}
export type FalRealtime = ReturnType<typeof createRealtime>;

function whyNoToken(
  body: Record<string, unknown>,
  isByPath: boolean,
): [loc: string, msg: string] | undefined {
  const lifetime = isByPath ? "duration" : "token_expiration";
  const unknown = Object.keys(body).find((name) => name !== "allowed_apps" && name !== lifetime);
  if (unknown) return [unknown, "Extra inputs are not permitted"];
  const apps = body.allowed_apps;
  if (!Array.isArray(apps) || apps.length === 0 || apps.some((app) => typeof app !== "string"))
    return ["allowed_apps", "Field required"];
  if (!isByPath && apps.some((app: string) => app.includes("/")))
    return ["allowed_apps", "An app has no slash"];
  const seconds = body[lifetime];
  return typeof seconds === "number" && seconds >= 1 && seconds <= 3_600
    ? undefined
    : [lifetime, "Input should be from 1 to 3600"];
}

const pictureOf = (fields: Record<string, unknown>): Uint8Array =>
  typeof fields.image_url === "string"
    ? Buffer.from(fields.image_url.split(",")[1] ?? "", "base64")
    : ((fields.image_bytes as Uint8Array) ?? new Uint8Array());

/** A realtime model fetches nothing: the picture has to be in the message, and valid. */
function whyNoPicture(fields: Record<string, unknown>, model: SimulatedModel) {
  const properties = (model.input.properties ?? {}) as Record<string, unknown>;
  const field = ["image_url", "image_bytes"].find((name) => name in properties);
  if (!field || fields[field] === undefined) return undefined;
  const fault = (msg: string) => ({ loc: ["body", field], msg, type: "image_load_error" });
  if (
    field === "image_url" &&
    !/^data:image\/(jpeg|png|webp);base64,[\w+/]+=*$/.test(String(fields[field]))
  )
    return fault("Input should be a base64 data URI");
  const bytes = pictureOf(fields);
  const isPicture = [
    [0xff, 0xd8],
    [0x89, 0x50],
    [0x52, 0x49],
  ].some((signature) => signature.every((byte, i) => bytes[i] === byte));
  return isPicture ? undefined : fault("Failed to load the image");
}
