import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect as openSocket } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "#engine/connections/connect.ts";
import { anthropic } from "#providers/services/anthropic/adapter.ts";
import { type Anthropic, startAnthropic } from "../simulators/anthropic.ts";
import type { Behaviour } from "../simulators/kit/behaviour.ts";
import { onSqlite } from "../support/databases/databases.ts";
import { placesOfSimulators } from "../support/databases/store-rows.ts";
import { type Door, openDoor } from "../support/studio/openai-door.ts";
import { testAdapters } from "../support/studio/studio.ts";
import { createTempFolder } from "../support/temp.ts";
import { type Agent, type Asked, agents } from "./programs.ts";

/** The folder in which `npm run agents` has installed them. */
const installed = process.env.AGENTS_FOLDER ?? "";
const secret = "halyard";
const longestMs = 150_000;

/**
 * Runs an agent in a separate folder and home.
 * @returns its whole output
 */
function run(agent: Agent, asked: Asked): Promise<string> {
  const home = createTempFolder("agent-home");
  const folder = createTempFolder("agent-work");
  writeFileSync(join(folder, "note.txt"), `the secret is ${secret}\n`);
  for (const [path, text] of Object.entries(agent.files(asked))) {
    const target = join(path.includes("/") ? home : folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  const env = { PATH: process.env.PATH, HOME: home, ...agent.env(asked) };
  const program = join(installed, "node_modules", ".bin", agent.command);
  const options = { cwd: folder, env, timeout: longestMs };
  return new Promise((resolve) => {
    const child = execFile(program, agent.args(asked), options, (error, out, err) =>
      resolve(`${error?.message ?? ""}\n${out}\n${err}`),
    );
    child.stdin?.end();
  });
}

/** Set by `npm run agents` where the machine can keep programs from the network. */
it.runIf(process.env.AGENTS_ALONE)("the programs can reach no other machine", async () => {
  // An address that belongs to nobody (RFC 5737): a network would leave it without an answer.
  const socket = openSocket({ host: "192.0.2.1", port: 80 });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  socket.on("error", resolve);
  socket.on("connect", () => resolve(null));
  expect(await promise).toMatchObject({ code: "ENETUNREACH" });
  socket.destroy();
});

onSqlite((create) => {
  let door: Door;
  let claude: Anthropic;
  beforeAll(async () => {
    for (const agent of agents)
      if (agent.prepare) {
        const cwd = join(installed, "node_modules", agent.package);
        await promisify(execFile)(process.execPath, [agent.prepare], { cwd });
      }
    claude = await startAnthropic();
    door = await openDoor(await create(), { instance: { adapters: [...testAdapters, anthropic] } });
    await connect(door.studio.instance.engine.deps, {
      kind: "anthropic",
      name: "Claude",
      scope: "instance",
      userId: door.studio.person.user.id,
      values: { ...placesOfSimulators, api: claude.url, key: claude.key },
    });
  });
  afterAll(async () => {
    await claude.stop();
    await door.studio.close();
  });

  const localModel = ({ studio: { ollama } }: Door): Provider => ({
    script: (behaviour) => ollama.meet(behaviour),
    posts: ollama.posts,
  });
  type Provider = { script(behaviour: Behaviour): void; posts: readonly { body: unknown }[] };
  const kinds: [string, () => { model: string; provider: Provider }][] = [
    ["OpenAI's wire", () => ({ model: door.names.chat, provider: door.studio.openai })],
    ["Claude", () => ({ model: "claude/claude-sim-1", provider: claude })],
    [
      "a local model",
      () => ({
        model: door.names.ollama.replace("llama3.2:latest", "qwen3:8b"),
        provider: localModel(door),
      }),
    ],
  ];
  for (const agent of agents)
    for (const [kind, of] of kinds)
      it(`${agent.name} reads a file with a tool and answers, through ${kind}`, {
        timeout: longestMs + 30_000,
      }, async () => {
        const { model, provider } = of();
        const from = provider.posts.length;
        provider.script({
          text: ["Let me look."],
          toolCalls: [agent.read],
        });
        const asked = { url: door.url, key: door.key.token, model, question: "Read note.txt." };
        const said = await run(agent, asked);
        // The tool's result reached the model, and the model's answer reached the person.
        const last = JSON.stringify(provider.posts.slice(from).at(-1)?.body ?? "");
        expect(last, said).toContain(secret);
        expect(said).toContain("You said");
      });

  it("Codex shortens a long conversation by asking its model, not an address that only OpenAI has", {
    timeout: longestMs + 30_000,
  }, async () => {
    const codex = agents.find(({ name }) => name === "Codex")!;
    const config = ".codex/config.toml";
    /** Every conversation is too long. */
    const eager: Agent = {
      ...codex,
      files: (asked) => ({
        [config]: `model_auto_compact_token_limit = 1\n${codex.files(asked)[config]}`,
      }),
    };
    const { openai } = door.studio;
    const from = openai.posts.length;
    openai.script({ text: ["Let me look."], toolCalls: [codex.read] });
    const { url, key } = door;
    const question = "Read note.txt.";
    const said = await run(eager, { url, key: key.token, model: door.names.chat, question });
    const asked = openai.posts.slice(from).map(({ body }) => JSON.stringify(body));
    expect(
      asked.some((body) => /compaction|summary/i.test(body)),
      said,
    ).toBe(true);
    expect(said).toContain("You said");
    expect(said).not.toMatch(/\b40[04]\b|not supported/);
  });
});
