import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32, deflateSync } from "node:zlib";
import { ZipFile } from "yazl";
import { startMcp } from "../../simulators/mcp.ts";
import type { Bench } from "../bench.ts";
import { atMost, type Figure, type Row, round } from "../figures.ts";
import { openProbe } from "../probes/probe.ts";
import { openStudio, type Studio } from "../studio.ts";

const boundMs = 100;
const megabyte = 1024 ** 2;

type Sent = {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body: Uint8Array | string;
};
type Attack = { what: string; send(studio: Studio, token: string): Promise<string> };

async function measure(bench: Bench): Promise<Figure[]> {
  const probe = openProbe(bench, "longest-task.mjs");
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    nodeArgs: [probe.nodeArg],
  });
  const stops: (() => void | Promise<void>)[] = [];
  try {
    const { token } = await studio.session.call("createKey", {
      body: {
        name: "bench",
        projectId: studio.projectId,
        scopes: ["chat", "runs:write", "assets:write"],
        ratePerMinute: 10_000,
      },
    });
    const attacks = [...bodies, ...(await createServices(stops))];
    // Code loaded at its first use isn't part of the measurement.
    await post(studio, {
      path: "/v1/chat/completions",
      headers: json(token),
      body: `{"a":"${"x".repeat(2 * megabyte)}"}`,
    });
    const figures: Figure[] = [];
    for (const attack of attacks) {
      await sleep(300);
      await probe.ask(studio.server);
      const [answer, healthMs] = await besideHealth(studio, attack.send(studio, token));
      const value = Number(await probe.ask(studio.server));
      figures.push(
        atMost(
          `longest task: ${attack.what}`,
          value,
          boundMs,
          "ms",
          `${answer}; /healthz ${round(healthMs)} ms at most`,
        ),
      );
    }
    return figures;
  } finally {
    for (const stop of stops) await stop();
    await studio.stop();
  }
}

/** The slowest /healthz during other work, in ms. */
async function besideHealth<T>(studio: Studio, work: Promise<T>): Promise<[T, number]> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let slowestMs = 0;
  while (!isDone) {
    const since = performance.now();
    await fetch(`${studio.server.url}/healthz`);
    slowestMs = Math.max(slowestMs, performance.now() - since);
    await sleep(5);
  }
  return [await done, slowestMs];
}

const json = (token: string) => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
});

/**
 * Sends the whole body, whatever is answered meanwhile.
 * @returns the status
 */
function post(
  studio: Studio,
  { path, method = "POST", headers = {}, body }: Sent,
): Promise<string> {
  return new Promise((resolve) => {
    const asked = request(
      `${studio.server.url}${path}`,
      { method, agent: false, headers: { "content-length": body.length, ...headers } },
      (answer) => {
        answer.resume();
        answer.once("end", () => resolve(`answered ${answer.statusCode}`));
      },
    );
    // Refused while it was being sent, which counts as an answer.
    asked.on("error", () => resolve("refused while it arrived"));
    asked.end(body);
  });
}

const nobody = "0198f3a0-0000-7000-8000-000000000000";
const upload = `/api/fal/uploads/${nobody}/complete?by=${nobody}&projectId=${nobody}&name=x&until=1&signature=x`;
const chat =
  (body: string): Attack["send"] =>
  (studio, token) =>
    post(studio, { path: "/v1/chat/completions", headers: json(token), body });

const bodies: readonly Attack[] = [
  {
    what: "4 MB of brackets, from anyone",
    send: (studio) =>
      post(studio, {
        path: upload,
        headers: { "content-type": "application/json" },
        body: "[".repeat(4 * megabyte),
      }),
  },
  { what: "60 MB of brackets", send: chat("[".repeat(60 * megabyte)) },
  { what: "a flat array of 60 MB", send: chat(`[${"0,".repeat(30 * megabyte)}0]`) },
  {
    what: "95,000 values in 3 MB",
    send: chat(
      `{"model":"m","messages":[{"role":"user","content":"x"}],"metadata":{"a":[${`"${"x".repeat(30)}",`.repeat(95_000)}0]}}`,
    ),
  },
  {
    what: "63 MB of base64 in one text",
    send: chat(
      chatWith(
        `data:application/octet-stream;base64,${Buffer.alloc(47 * megabyte, "bytes of a file ").toString("base64")}`,
      ),
    ),
  },
  { what: "60 MB of plain text", send: chat(chatWith("words ".repeat(10 * megabyte))) },
  {
    what: "a form of 160,000 parts",
    send: (studio, token) =>
      post(studio, {
        path: "/v1/images/edits",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "multipart/form-data; boundary=x",
        },
        body: `${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(160_000)}--x--\r\n`,
      }),
  },
  {
    what: "a form with a file of 60 MB",
    send: (studio, token) =>
      post(studio, {
        path: "/v1/audio/transcriptions",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "multipart/form-data; boundary=x",
        },
        body: Buffer.concat([
          Buffer.from(
            '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n',
          ),
          Buffer.alloc(60 * megabyte, 7),
          Buffer.from("\r\n--x--\r\n"),
        ]),
      }),
  },
  ...["manifest.json", "project.json"].map((name) => ({
    what: `an archive whose ${name} is 16 MB of brackets`,
    send: async (studio: Studio) =>
      post(studio, {
        path: "/api/v1/imports",
        headers: { cookie: studio.session.cookie },
        body: await archiveWith(name, "[".repeat(16 * megabyte)),
      }),
  })),
  {
    what: "a picture of 1 by 30,000,000",
    send: (studio) =>
      post(studio, {
        path: `/api/v1/uploads?projectId=${studio.projectId}&name=tall.png`,
        headers: { cookie: studio.session.cookie },
        body: tallPng(30_000_000),
      }),
  },
];

function chatWith(file: string): string {
  const content = [{ type: "file", file: { filename: "a.bin", file_data: file } }];
  return JSON.stringify({ model: "fake/sim-chat", messages: [{ role: "user", content }] });
}

async function archiveWith(name: string, content: string): Promise<Buffer> {
  const manifest = {
    format: "bottega-project-1",
    program: "bench",
    exportedAt: 1,
    project: { sha256: "0".repeat(64) },
    missing: [],
  };
  const tables = ["conversations", "messages", "runs", "assets"].map((table) => ({
    name: table,
    rows: 0,
    sha256: "0".repeat(64),
  }));
  const entries: Record<string, string> = {
    "manifest.json": JSON.stringify({ ...manifest, tables, files: { count: 0, bytes: 0 } }),
    "project.json": "{}",
    [name]: content,
  };
  const zip = new ZipFile();
  for (const [entry, text] of Object.entries(entries)) zip.addBuffer(Buffer.from(text), entry);
  for (const { name: table } of tables) zip.addBuffer(Buffer.alloc(0), `${table}.jsonl`);
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Gray, one pixel wide: 60 KB. */
function tallPng(height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(1, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer): Buffer => {
    const typed = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(typed));
    return Buffer.concat([length, typed, sum]);
  };
  const pixels = deflateSync(Buffer.alloc(height * 2));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Services with far too large answers. */
async function createServices(stops: (() => void | Promise<void>)[]): Promise<Attack[]> {
  const lists: Record<string, string> = {
    "200,000 models": JSON.stringify({
      data: Array.from({ length: 200_000 }, (_, i) => ({ id: `model-${i}`, object: "model" })),
    }),
    "10,000 models, which are taken": JSON.stringify({
      data: Array.from({ length: 10_000 }, (_, i) => ({ id: `model-${i}`, object: "model" })),
    }),
    "30 MB of brackets": "[".repeat(30 * megabyte),
  };
  const attacks: Attack[] = [];
  for (const [what, list] of Object.entries(lists)) {
    const server = createServer((_, answer) =>
      answer.setHeader("content-type", "application/json").end(list),
    ).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    stops.push(() => void server.close());
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    attacks.push({
      what: `a service that lists ${what}`,
      send: (studio) => connect(studio, { kind: "openai-compatible", values: { api } }),
    });
  }
  const form = { type: "object" };
  const tools = Array.from({ length: 50_000 }, (_, i) => ({
    name: `tool-${i}`,
    description: "",
    inputSchema: form,
  }));
  for (const count of [50_000, 15_000]) {
    const server = await startMcp({ tools: tools.slice(0, count), pageSize: count });
    stops.push(() => server.stop());
    attacks.push({
      what: `a server of ${count.toLocaleString("en")} tools`,
      send: (studio) => connect(studio, { kind: "mcp", values: { server: server.url } }),
    });
  }
  return attacks;
}

async function connect(
  studio: Studio,
  { kind, values }: { kind: string; values: Record<string, string> },
): Promise<string> {
  const body = { kind, name: `Hostile ${Math.random()}`, scope: "instance" as const, values };
  return studio.session.call("createConnection", { body }).then(
    ({ connection }) => `connected, ${connection.status}`,
    (error: unknown) => String(error).replace(/\s+/g, " ").slice(0, 160),
  );
}

export const hostile: Row<Bench> = {
  name: "hostile",
  what: "the longest task of the main thread under hostile input",
  measure,
};
