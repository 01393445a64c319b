import { type Agent, request } from "undici";
import type { WebSocket } from "ws";
import type { RunEvent } from "#contract/entities.ts";
import type { ServerFrame } from "#contract/live.ts";
import { newText } from "#contract/live-text.ts";
import type { Person, Studio } from "./studio.ts";

/**
 * One answer's times since its request: ms to its first token, ms to its end, and the number of
 * received characters; if the provider stamps its words, also ms from their write to their arrival.
 */
export type Timing = { firstMs: number; endMs: number; characters: number; delaysMs: number[] };
/**
 * Requests one answer and reads it to the end.
 * @throws Error if it fails or ends incorrectly
 */
export type Ask = () => Promise<Timing>;

const question = "Say something.";

/** An endpoint with OpenAI's protocol: `url` ends before `/chat/completions`. */
export type OpenAiDoor = {
  agent: Agent;
  url: string;
  headers?: Record<string, string>;
  model: string;
};

/** The fake provider called directly, like the server calls it. */
export const askDirectly = ({ session, providerUrl, model }: Studio): Ask =>
  askOpenAi({ agent: session.agent, url: providerUrl, model: model.modelId });

/** Streams like a program. `delaysMs` has the delay of each stamped word. */
export function askOpenAi({ agent, url, headers, model }: OpenAiDoor): Ask {
  const body = JSON.stringify({
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: question }],
  });
  return async () => {
    const since = performance.now();
    const answer = await request(`${url}/chat/completions`, {
      dispatcher: agent,
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
      },
      body,
    });
    if (answer.statusCode !== 200)
      throw new Error(`${url} answered ${answer.statusCode}: ${await answer.body.text()}`);
    let firstMs = Number.NaN;
    let characters = 0;
    let rest = "";
    const stamps = readStamps();
    for await (const chunk of answer.body) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const word = /"delta":\{[^}]*"content":"([^"]+)"/.exec(line)?.[1];
        if (!word) continue;
        if (characters === 0) firstMs = performance.now() - since;
        characters += word.length;
        stamps.take(word);
      }
    }
    return {
      firstMs,
      endMs: performance.now() - since,
      characters,
      delaysMs: stamps.delaysMs,
    };
  };
}

/**
 * Reads the delay of each stamped word.
 * @throws Error if one is missing or repeated
 */
function readStamps() {
  const delaysMs: number[] = [];
  let rest = "";
  return {
    delaysMs,
    take(text: string): void {
      const at = process.hrtime.bigint();
      const words = (rest + text).split(" ");
      rest = words.pop() ?? "";
      for (const word of words) {
        const [, index, sentNs] = /^(\d+):(\d+)$/.exec(word) ?? [];
        if (!sentNs) continue;
        if (Number(index) !== delaysMs.length)
          throw new Error(`word ${index} came in place of ${delaysMs.length}`);
        delaysMs.push(Number(at - BigInt(sentNs)) / 1e6);
      }
    },
  };
}

async function say(studio: Studio, { session, nextConversation }: Person): Promise<string> {
  const { run } = await session.call("sendMessage", {
    params: { conversationId: nextConversation() },
    body: {
      parentId: null,
      text: question,
      attachments: [],
      ask: { model: studio.model, settings: {} },
    },
  });
  if (!run) throw new Error("no run was admitted");
  return run.id;
}

/** Like the browser: a POST, then the run's topic on the tab's open socket. */
export async function askOverSocket(
  studio: Studio,
  {
    person = studio.nextPerson(),
    onRun,
  }: { person?: Person; onRun?: (runId: string) => void } = {},
): Promise<Ask> {
  const socket = await person.session.openSocket();
  return async () => {
    const since = performance.now();
    const runId = await say(studio, person);
    onRun?.(runId);
    const timing = await readFrames(socket, runId, since);
    socket.send(JSON.stringify({ unsubscribe: [`run:${runId}`] }));
    return timing;
  };
}

function readFrames(socket: WebSocket, runId: string, since: number): Promise<Timing> {
  const topic = `run:${runId}`;
  const timing = startTiming(since);
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown): void => {
      const frame = JSON.parse(String(message)) as ServerFrame;
      if (!("topic" in frame) || frame.topic !== topic) return;
      if ("words" in frame) timing.take({ type: frame.words.type, payload: frame.words });
      if (!("events" in frame) || !frame.events.some(timing.take)) return;
      socket.off("message", onMessage);
      socket.off("close", onClose);
      timing.end(resolve, reject);
    };
    const onClose = (code: number): void => reject(new Error(`the socket was closed (${code})`));
    socket.on("message", onMessage);
    socket.once("close", onClose);
    socket.send(JSON.stringify({ subscribe: [{ topic, after: 0 }] }));
  });
}

/** Like an API client: a POST, then the run's event stream. */
export function askOverEventStream(studio: Studio): Ask {
  const person = studio.nextPerson();
  return async () => {
    const since = performance.now();
    const runId = await say(studio, person);
    const answer = await request(`${studio.session.url}/api/v1/runs/${runId}/events`, {
      dispatcher: person.session.agent,
      headers: { cookie: person.session.cookie },
    });
    const timing = startTiming(since);
    let rest = "";
    for await (const chunk of answer.body) {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const type = /^event: (.*)$/m.exec(event)?.[1];
        const payload = /^data: (.*)$/m.exec(event)?.[1];
        if (type && payload)
          timing.take({ type, payload: JSON.parse(payload) as RunEvent["payload"] });
      }
    }
    return new Promise(timing.end);
  };
}

function startTiming(since: number) {
  let firstMs = Number.NaN;
  let characters = 0;
  let state: unknown;
  const stamps = readStamps();
  return {
    /** True for the last event. */
    take(event: Pick<RunEvent, "type" | "payload">): boolean {
      if (event.type === "text-delta") {
        const text = newText(event.payload as { text: string; offset?: number }, characters) ?? "";
        if (characters === 0 && text !== "") firstMs = performance.now() - since;
        characters += text.length;
        stamps.take(text);
      }
      if (event.type === "run-settled") state = event.payload.state;
      return event.type === "run-settled";
    },
    end(resolve: (timing: Timing) => void, reject: (error: Error) => void): void {
      const { delaysMs } = stamps;
      if (state === "succeeded")
        resolve({ firstMs, endMs: performance.now() - since, characters, delaysMs });
      else reject(new Error(`the run ended as ${state}`));
    },
  };
}
