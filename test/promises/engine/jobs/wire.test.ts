import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { onSqlite } from "../../../support/databases/databases.ts";
import { findFreePort } from "../../../support/server/free-port.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/**
 * A server below HTTP, which passes on each connection as a socket.
 * @returns its host and port
 */
async function serveRaw(handler: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    handler(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering = (text: string, then: (socket: Socket) => void) => () =>
  serveRaw((socket) => socket.once("data", () => socket.write(text, () => then(socket))));
const streamHead =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const status = (line: string) =>
  answering(
    `HTTP/1.1 ${line}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    () => undefined,
  );

onSqlite((create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create());
  });
  afterAll(() => studio.close());

  /**
   * Makes one attempt of a paid answer at an address.
   * @returns the stored run and attempt after it is over
   */
  async function meet(address: string) {
    await studio.forgetFailures();
    const { connectionId } = studio.models.openai;
    await studio.instance.store.db
      .updateTable("connection")
      .set({ base_urls: JSON.stringify({ api: `${address}/v1` }) })
      .where("id", "=", connectionId)
      .execute();
    const { run } = await studio.ask("hello");
    const attempt = await until("the first attempt is over", async () => {
      const [first] = await studio.attempts(run.id);
      return first?.endedAt ? first : undefined;
    });
    const row = await studio.instance.store.db
      .selectFrom("attempt")
      .selectAll()
      .where("run_id", "=", run.id)
      .executeTakeFirstOrThrow();
    const over = await studio.runOf(run.id);
    if (over.state === "queued") await studio.instance.engine.cancelRun(run.id);
    return { over, attempt, row };
  }

  const notSent: [fault: string, address: () => Promise<string>][] = [
    ["a name that nobody knows", async () => "http://nowhere.invalid"],
    ["a port where nobody listens", async () => `http://127.0.0.1:${await findFreePort()}`],
    [
      "a server that speaks no TLS",
      async () =>
        `https://${await serveRaw((socket) => socket.once("data", () => socket.end("hello")))}`,
    ],
    [
      "a reset in the TLS handshake",
      async () =>
        `https://${await serveRaw((socket) => socket.once("data", () => socket.resetAndDestroy()))}`,
    ],
  ];
  it.each(notSent)(
    "%s: the attempt says that no byte was written, and the run waits for another one",
    async (_fault, address) => {
      const { over, attempt } = await meet(await address());
      expect(attempt).toMatchObject({
        number: 1,
        state: "refused",
        bytesWritten: 0,
        sentAt: null,
        httpStatus: null,
      });
      expect(over).toMatchObject({ state: "queued", attempts: 1 });
    },
  );

  const lost: [fault: string, server: () => Promise<string>, httpStatus: number | null][] = [
    [
      "a reset before an answer",
      () => serveRaw((socket) => socket.once("data", () => socket.resetAndDestroy())),
      null,
    ],
    [
      "a connection that is closed before an answer",
      () => serveRaw((socket) => socket.once("data", () => socket.end())),
      null,
    ],
    [
      "an answer that is not HTTP",
      answering("SSH-2.0-OpenSSH_9.9\r\n", (socket) => socket.end()),
      null,
    ],
    [
      "a head that breaks off",
      answering("HTTP/1.1 200 OK\r\ncontent-ty", (socket) => socket.resetAndDestroy()),
      null,
    ],
    ["500", status("500 Oh"), 500],
    ["409", status("409 Oh"), 409],
    ["425", status("425 Oh"), 425],
    ["504", status("504 Oh"), 504],
  ];
  it.each(lost)(
    "%s: the attempt records the bytes written, and the chat has failed",
    async (_fault, server, httpStatus) => {
      const { over, attempt, row } = await meet(`http://${await server()}`);
      expect(attempt).toMatchObject({
        number: 1,
        state: "lost",
        httpStatus,
        sentAt: expect.any(Number),
      });
      expect(attempt.bytesWritten).toBeGreaterThan(50);
      expect(over).toMatchObject({
        state: "failed",
        attempts: 1,
        usage: { units: { estimated: "yes" } },
      });
      expect(row.request_hash).toMatch(/^[0-9a-f]{64}$/);
      expect(row.client_token).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  const begun: [fault: string, server: () => Promise<string>, end: object][] = [
    [
      "a reset after the head of the answer",
      answering(streamHead, (socket) => socket.resetAndDestroy()),
      { state: "failed", error: { code: "provider_interrupted" }, costMicros: null },
    ],
    [
      "an answer that ends with its head",
      answering(`${streamHead}0\r\n\r\n`, () => undefined),
      { state: "failed" },
    ],
  ];
  it.each(begun)("%s: it was taken, and is not sent again", async (_fault, server, end) => {
    const { over, attempt } = await meet(`http://${await server()}`);
    expect(attempt).toMatchObject({ number: 1, httpStatus: 200, sentAt: expect.any(Number) });
    expect(over).toMatchObject({ ...end, attempts: 1 });
  });

  it.each([400, 401, 402, 403, 404, 413, 422])(
    "%i: the attempt was refused, and costs nothing",
    async (refusal) => {
      const { over, attempt } = await meet(`http://${await status(`${refusal} No`)()}`);
      expect(attempt).toMatchObject({ number: 1, state: "refused", httpStatus: refusal });
      expect(over).toMatchObject({ state: "failed", costMicros: 0 });
    },
  );
});
