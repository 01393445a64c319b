import { expect, it, onTestFinished } from "vitest";
import { startOpenAi } from "../../../../test/simulators/openai.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
  collect,
} from "../../../../test/support/contracts/attempt.ts";
import {
  type ChatTurn,
  type InputFile,
  ProviderError,
  type RunContext,
  type ToolRecord,
} from "../../adapter.ts";
import { openai } from "./adapter.ts";

const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const boats = buildFile("boats", "text/plain", "The dory is 5 m long.");
const rules = buildFile("rules.md", "text/markdown", "# Rules");

async function build() {
  const simulator = await startOpenAi();
  onTestFinished(() => simulator.stop());
  const stop = new AbortController();
  /** Makes one attempt, which allows one paid request. */
  const ask = async (
    files: InputFile[],
    options: { records?: ToolRecord[]; on?: (url: string) => void; key?: string } = {},
  ) => {
    const { context, warnings, wire } = buildContext({
      origin: new URL(simulator.url).origin,
      connection: {
        kind: "openai",
        addresses: { api: simulator.url },
        options: {},
        secret: options.key ?? simulator.key,
      },
      signal: stop.signal,
    });
    const used: string[] = [];
    const listening: RunContext = {
      ...context,
      used: (tool) => void used.push(tool),
      fetch: (url, init) => {
        options.on?.(String(url));
        return context.fetch(url, init);
      },
    };
    const turns: ChatTurn[] = [
      ...(options.records ?? []).map(
        (record): ChatTurn => ({
          role: "assistant",
          parts: [{ type: "text", text: "Before" }, record],
        }),
      ),
      {
        role: "user",
        parts: [
          { type: "text", text: "How long is it?" },
          ...files.map((file) => ({ type: "file" as const, file })),
        ],
      },
    ];
    const before = simulator.requests.length;
    const said = await collect(
      openai.answer!(
        buildRequest({
          model: {
            id: "gpt-5.5",
            inputSchema: { type: "object", properties: { fileSearch: { type: "boolean" } } },
            capabilities: { reasoning: true, imageInput: true, pdfInput: true },
          },
          input: { fileSearch: true },
          turns,
        }),
        listening,
      ),
    );
    const records = said.parts.filter((part) => part.type === "tool-record");
    const requests = simulator.requests.slice(before);
    return {
      ...said,
      records,
      used,
      warnings,
      wire,
      uploads: requests.filter((line) => line === "POST /v1/files").length,
      stores: requests.filter((line) => line === "POST /v1/vector_stores").length,
      sent: simulator.posts.at(-1)?.body as Record<string, unknown>,
    };
  };
  return { simulator, ask, stop };
}

const storeOf = (sent: Record<string, unknown>) =>
  (sent.tools as { vector_store_ids: string[] }[])[0]!.vector_store_ids[0];

it("documents are searched in expiring copies, and citations name the conversation's files", async () => {
  const { simulator, ask } = await build();
  const { error, sent, parts, reasoning, used, finish, warnings } = await ask([boats, rules]);
  expect(error).toBeNull();
  expect(warnings).toEqual([]);
  const files = [...simulator.documents.files.values()];
  expect(files.map(({ filename }) => filename).sort()).toEqual(["boats.txt", "rules.md"]);
  expect(files.every(({ expiresAfter }) => expiresAfter === 86_400)).toBe(true);
  expect(sent).toMatchObject({
    tools: [{ type: "file_search" }],
    include: expect.arrayContaining(["file_search_call.results"]),
  });
  expect(JSON.stringify(sent.input)).toContain("[boats, to be searched with file_search]");
  expect(JSON.stringify(sent)).not.toContain("The dory");
  const [cited] = files;
  const asset = cited?.filename === "boats.txt" ? boats : rules;
  expect(parts.filter(({ type }) => type === "source")).toEqual([
    { type: "source", title: asset.name, document: asset.name, assetId: asset.assetId },
  ]);
  expect(reasoning).toContain("“simulated”");
  expect(reasoning).toContain("boats:\nThe dory is 5 m long.");
  expect(used).toEqual(["file searches"]);
  expect(finish).toMatchObject({ usage: { units: { "file searches": "1" } } });
});

it("the next question searches the same store, and only new documents are uploaded", async () => {
  const { ask } = await build();
  const first = await ask([boats]);
  const second = await ask([boats], { records: first.records });
  expect(second).toMatchObject({ error: null, uploads: 0, stores: 0, records: [] });
  expect(storeOf(second.sent)).toBe(storeOf(first.sent));
  const third = await ask([boats, rules], { records: first.records });
  expect(third).toMatchObject({ error: null, uploads: 1, stores: 1 });
  // A document that was removed from the conversation is no longer searched.
  const fourth = await ask([rules], { records: [...first.records, ...third.records] });
  expect(fourth).toMatchObject({ error: null, uploads: 0, stores: 1 });
  expect(storeOf(fourth.sent)).not.toBe(storeOf(third.sent));
  expect(fourth.reasoning).not.toContain("The dory");
});

it("a record whose copies are about to expire isn't reused", async () => {
  const { ask } = await build();
  const { records } = await ask([boats]);
  const { store } = records[0]!.data as { store: { expiresAt: number } };
  const soon = { ...store, expiresAt: store.expiresAt - 23.5 * 60 * 60_000 };
  const again = await ask([boats], { records: [{ type: "tool-record", data: { store: soon } }] });
  expect(again).toMatchObject({ error: null, uploads: 1, stores: 1 });
});

it("a store that is gone early is refused as forgotten, and missing copies are uploaded again", async () => {
  const { simulator, ask } = await build();
  const { records } = await ask([boats]);
  simulator.documents.forget();
  const { error } = await ask([boats], { records });
  expect(error).toMatchObject({ accepted: "no", detail: { forgotten: true } });
  expect(await ask([boats])).toMatchObject({ error: null, uploads: 1 });
  const added = await ask([boats, rules], { records });
  expect(added.error).toBeNull();
  expect(added.sent.tools).toHaveLength(1);
  expect(added.reasoning).toContain("The dory");
});

it("an unreadable document is named and left out, and none at all is an error before anything is paid", async () => {
  const { simulator, ask } = await build();
  const scan = buildFile("scan.pdf", "application/pdf", "unreadable");
  const { error, warnings, records } = await ask([boats, scan]);
  expect(error).toBeNull();
  expect(warnings).toMatchObject([{ feature: "fileSearch" }]);
  expect(warnings[0]!.message).toContain("scan.pdf");
  const next = await ask([boats, scan], { records });
  expect(next).toMatchObject({ error: null, uploads: 0, stores: 0 });
  expect(next.warnings).toHaveLength(1);
  const posts = simulator.posts.length;
  const none = await ask([scan]);
  expect(none.error).toMatchObject({ code: "provider_invalid_input", accepted: "no" });
  expect(simulator.posts).toHaveLength(posts);
});

it("files over OpenAI's limit are named and left out, and types that file search doesn't read are sent as before", async () => {
  const { ask } = await build();
  const huge = { ...buildFile("huge.pdf", "application/pdf", "x"), bytes: 512 * 1024 ** 2 + 1 };
  const table = buildFile("table.csv", "text/csv", "boat,length");
  const letter = buildFile("letter", docx, "Dear all");
  const { error, warnings, uploads, sent } = await ask([huge, table, letter]);
  expect(error).toBeNull();
  expect(uploads).toBe(1);
  expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining("512 MB")]);
  expect(JSON.stringify(sent.input)).toContain("boat,length");
  const alone = await ask([huge]);
  expect(alone).toMatchObject({ error: null, uploads: 0, stores: 0 });
  expect(alone.sent).not.toHaveProperty("tools");
});

it("a hundred documents are each uploaded once, into one store", async () => {
  const { ask } = await build();
  const many = Array.from({ length: 100 }, (_, n) => buildFile(`note ${n}`, "text/plain", `${n}`));
  expect(await ask(many)).toMatchObject({ error: null, uploads: 100, stores: 1, warnings: [] });
});

it("a connection that breaks during uploads has sent nothing paid", async () => {
  const { simulator, ask } = await build();
  simulator.setAway(true);
  const { error, wire } = await ask([boats, rules]);
  expect(error).toBeInstanceOf(ProviderError);
  expect(error).toMatchObject({ accepted: "no" });
  expect(wire).toEqual([]);
  simulator.setAway(false);
  const wrong = await ask([boats], { key: "sk-of-somebody" });
  expect(wrong.error).toMatchObject({ code: "provider_auth", accepted: "no" });
});

it("a stop ends the wait for OpenAI's indexing", async () => {
  const { simulator, ask, stop } = await build();
  const reason = new Error("stopped");
  simulator.documents.stall();
  const { error } = await ask([boats], {
    on: (url) => void (/vector_stores\/vs_/.test(url) && setTimeout(() => stop.abort(reason), 50)),
  });
  expect(error).toBe(reason);
  expect(simulator.posts).toEqual([]);
});

it("a question without documents has no search", async () => {
  const { ask } = await build();
  const { error, sent, uploads } = await ask([]);
  expect({ error, uploads }).toEqual({ error: null, uploads: 0 });
  expect(sent).not.toHaveProperty("tools");
});
