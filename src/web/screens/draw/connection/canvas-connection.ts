import {
  type DrawFrame,
  type DrawInput,
  type DrawNews,
  type DrawRequest,
  drawPath,
  type SessionMoney,
} from "#contract/draw.ts";
import type { ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { socketClosedSignedOut } from "#contract/live.ts";
import { packFrame, unpackFrame } from "#domain/files/packed-frame.ts";
import { leaveIfSignedOut, problemOf } from "../../../data/client.ts";
import { type ServerWait, waitForServer } from "../../../data/server-back.ts";
import {
  firstTurn,
  type SendTurn,
  waitMs,
  withAnswer,
  withChange,
  withLoss,
  withSent,
} from "./send-turn.ts";

/**
 * `resting`: the next change starts a session. `stopped`: only the person starts one. `lost`:
 * resumes when the server is back.
 */
type ConnectionStatus = "resting" | "stopped" | "starting" | "drawing" | "lost";

export type ShownFrame = DrawFrame & { blob: Blob; roundTripMs: number };
export type ConnectionState = {
  status: ConnectionStatus;
  frame: ShownFrame | null;
  money: SessionMoney | null;
  /** The cost of the sessions that ended on this page; null if any is unknown. */
  endedMicros: number | null;
  /** The reason that the session ended, will end, or couldn't start. */
  problem: unknown;
  isEnding: boolean;
  /** The picture doesn't show the newest change yet. */
  isBehind: boolean;
  /** The reason that the newest input was refused. */
  refusal: unknown;
  /** The reason that the last session ended, if it wasn't a problem. */
  reason: string | null;
};

/** A frame's session and its number there. */
export type FrameRef = Pick<DrawFrame, "runId" | "frame">;
export type PinnedFrame = Extract<DrawNews, { pinned: unknown }>["pinned"];

type Wish = { projectId: string; model: ModelRef; settings: JsonObject };
type Source = {
  wish(): Wish | null;
  /** The current drawing; null if it is blank or the model takes none. */
  drawing(): { version: number; read(): Promise<Blob | null> } | null;
  onPinned(pinned: PinnedFrame): void;
  /** Without a frame, all pins on their way have failed. */
  onPinFailed(error: unknown, frame?: FrameRef): void;
};

/**
 * A live canvas's socket: starts a session with the first change, sends the newest change, and
 * reconnects automatically. It stores no drawing and reads it from `source`.
 */
export function createCanvasConnection(source: Source) {
  let socket: WebSocket | undefined;
  let turn: SendTurn = firstTurn;
  let timer: number | undefined;
  let wait: ServerWait | undefined;
  /** Failures since the last session started. */
  let failures = 0;
  let closed = false;
  /** How many pins the server hasn't answered. */
  let pins = 0;
  let isSending = false;
  /** The version of the drawing that the server has; null on a new socket. */
  let sentVersion: number | null = null;
  const sentAt = new Map<number, number>();
  const listeners = new Set<() => void>();
  let state: ConnectionState = {
    status: "resting",
    frame: null,
    money: null,
    endedMicros: 0,
    problem: null,
    isEnding: false,
    isBehind: false,
    refusal: null,
    reason: null,
  };
  const set = (change: Partial<ConnectionState>): void => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  function setTurn(next: SendTurn): void {
    turn = next;
    const isBehind = next.isDirty || next.out.length > 0;
    if (isBehind !== state.isBehind) set({ isBehind });
  }
  const say = (request: DrawRequest): void => socket?.send(JSON.stringify(request));

  function connect(): void {
    if (closed || socket) return;
    wait?.giveUp();
    const fresh = new WebSocket(
      `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}${drawPath}`,
    );
    fresh.binaryType = "arraybuffer";
    socket = fresh;
    sentVersion = null;
    fresh.onopen = () => {
      if (state.status === "lost" || state.status === "starting") begin();
    };
    fresh.onmessage = ({ data }) =>
      typeof data === "string"
        ? hear(JSON.parse(data) as DrawNews)
        : take(new Uint8Array(data as ArrayBuffer));
    fresh.onclose = ({ code }) => {
      if (socket !== fresh) return;
      lose();
      if (code === socketClosedSignedOut) void leaveIfSignedOut();
      else void reconnect();
    };
  }

  /** Drops the socket. If a session was open, the drawing is sent when the server is back. */
  function lose(): void {
    const old = socket;
    socket = undefined;
    old?.close();
    setTurn(withLoss(turn));
    if (closed) return;
    if (pins > 0)
      source.onPinFailed(new TypeError("fetch: the socket closed before the picture was pinned"));
    pins = 0;
    if (!isOpen()) return;
    set({
      status: "lost",
      // The server books the lost session's cost, which Activity shows.
      ...(state.money && { endedMicros: sumOf(state.endedMicros, state.money.costMicros) }),
      money: null,
    });
  }

  async function reconnect(): Promise<void> {
    if (closed || state.status !== "lost") return;
    wait?.giveUp();
    wait = waitForServer(++failures);
    if (await wait.ended) begin();
  }

  /** Without a network, a socket can look open for minutes. */
  function onOffline(): void {
    if (!socket || !isOpen()) return;
    lose();
    void reconnect();
  }
  window.addEventListener("offline", onOffline);

  const isOpen = (): boolean => state.status !== "resting" && state.status !== "stopped";

  function begin(): void {
    const wish = source.wish();
    if (!wish) {
      if (state.status === "lost") set({ status: "resting" });
      return;
    }
    const isThere = socket?.readyState === WebSocket.OPEN;
    // The status stays "lost" until the server answers.
    const status = isThere || state.status !== "lost" ? "starting" : "lost";
    set({ status, problem: null, isEnding: false, reason: null, refusal: null });
    if (isThere) say({ start: wish });
    else connect();
  }

  function hear(news: DrawNews): void {
    if ("started" in news) {
      const { runId: _, ...money } = news.started;
      failures = 0;
      set({ status: "drawing", money });
      setTurn(withChange(withLoss(turn)));
      pump();
    } else if ("money" in news) set({ money: news.money });
    else if ("ending" in news) set({ problem: problemOf(news.ending.problem), isEnding: true });
    else if ("refused" in news) {
      setTurn(withAnswer(turn, news.refused.input));
      set({ refusal: problemOf(news.refused.problem) });
      pump();
    } else if ("ended" in news) end(news.ended);
    else if ("pinned" in news) {
      pins -= 1;
      source.onPinned(news.pinned);
    } else if (news.failed.of === "pin") {
      pins -= 1;
      source.onPinFailed(problemOf(news.failed.problem), news.failed);
    } else if (news.failed.problem.code === "unavailable") {
      set({ status: "lost" });
      void reconnect();
    } else set({ status: "stopped", problem: problemOf(news.failed.problem), money: null });
  }

  function end({
    problem,
    reason,
    costMicros,
    isServerStop,
  }: Extract<DrawNews, { ended: unknown }>["ended"]): void {
    setTurn(withLoss(turn));
    if (isServerStop && turn.isDirty && isOpen()) {
      set({ money: null, endedMicros: sumOf(state.endedMicros, costMicros) });
      lose();
      return void reconnect();
    }
    set({
      // Never retried automatically after a problem: each try may cost money.
      status: problem || state.status === "stopped" ? "stopped" : "resting",
      problem: problem && problemOf(problem),
      isEnding: false,
      reason: problem ? null : reason,
      money: null,
      endedMicros: sumOf(state.endedMicros, costMicros),
    });
  }

  function take(packed: Uint8Array): void {
    const frame = unpackFrame(packed);
    if (!frame) return;
    const header = frame.header as DrawFrame;
    const now = performance.now();
    const roundTripMs = now - (sentAt.get(header.input) ?? now);
    for (const input of sentAt.keys()) if (input <= header.input) sentAt.delete(input);
    setTurn(withAnswer(turn, header.input));
    const blob = new Blob([Uint8Array.from(frame.bytes)], { type: header.mime });
    set({ frame: { ...header, blob, roundTripMs }, refusal: null });
    pump();
  }

  function pump(): void {
    window.clearTimeout(timer);
    if (state.status !== "drawing" || isSending) return;
    const inMs = waitMs(turn, performance.now());
    if (inMs === undefined) return;
    if (inMs > 0) timer = window.setTimeout(pump, inMs);
    else void send();
  }

  async function send(): Promise<void> {
    const wish = source.wish();
    const to = socket;
    if (!wish || !to) return;
    isSending = true;
    const now = performance.now();
    const input = turn.nextInput;
    setTurn(withSent(turn, now));
    sentAt.set(input, now);
    try {
      const drawing = source.drawing();
      const isNew = drawing !== null && drawing.version !== sentVersion;
      const blob = isNew ? await drawing.read() : null;
      const bytes = blob ? new Uint8Array(await blob.arrayBuffer()) : new Uint8Array();
      const header: DrawInput = {
        input,
        settings: wish.settings,
        ...(blob && { mime: blob.type }),
        ...(drawing === null && { isBlank: true }),
      };
      if (to.readyState === WebSocket.OPEN) to.send(packFrame(header, bytes));
      if (blob) sentVersion = drawing?.version ?? null;
    } finally {
      isSending = false;
    }
    pump();
  }

  return {
    /** Reports a change, which starts a resting session. */
    changed(): void {
      setTurn(withChange(turn));
      if (state.status === "resting") begin();
      else pump();
    },
    /**
     * Reports a drawing restored from a recipe. An open session shows it, but no session is
     * started, because a link can restore one.
     */
    restored(): void {
      if (!isOpen()) return;
      setTurn(withChange(turn));
      pump();
    },
    /** Starts a session on request and sends the newest input immediately. */
    start(): void {
      setTurn(withChange(turn));
      begin();
    },
    stop(): void {
      wait?.giveUp();
      set({ status: "stopped", isEnding: false, problem: null });
      if (socket?.readyState === WebSocket.OPEN) say({ stop: true });
    },
    /** Starts the session for a change made before a model was available. */
    modelCame(): void {
      if (turn.isDirty && state.status === "resting") begin();
    },
    /** Ends the session for another model; the next change starts a new one. */
    leave(): void {
      wait?.giveUp();
      if (socket?.readyState === WebSocket.OPEN) say({ stop: true });
      setTurn({ ...withLoss(turn), isDirty: false });
      set({ status: "resting", problem: null, isEnding: false, refusal: null, reason: null });
    },
    pin({ runId, frame }: DrawFrame): void {
      if (socket?.readyState === WebSocket.OPEN) {
        pins += 1;
        say({ pin: { runId, frame } });
      } else source.onPinFailed(new TypeError("fetch: the line is lost"), { runId, frame });
    },
    retryNow: () => wait?.tryNow(),
    state: () => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close(): void {
      closed = true;
      window.clearTimeout(timer);
      wait?.giveUp();
      window.removeEventListener("offline", onOffline);
      socket?.close();
    },
  };
}

const sumOf = (before: number | null, micros: number | null): number | null =>
  before === null || micros === null ? null : before + micros;
