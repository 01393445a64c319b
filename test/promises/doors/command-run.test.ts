import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Asset } from "#contract/entities.ts";
import { bundleClient } from "../../../scripts/build-client.mjs";
import { runModel } from "../../../src/commands/client/run-model.ts";
import type { RunSurroundings } from "../../../src/commands/client/surroundings.ts";
import { terminalOf } from "../../../src/commands/client/terminal.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import { runBottega } from "../../support/server/run-command.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";
import { createTempFolder } from "../../support/temp.ts";

let door: Door;
beforeAll(async () => {
  const commandLineFolder = createTempFolder("built");
  writeFileSync(join(commandLineFolder, "cli.mjs"), await bundleClient());
  door = await openDoor(await createTestDatabase("sqlite"), { instance: { commandLineFolder } });
});
afterAll(() => door.studio.close());

const home = createTempFolder("home");
const run = (args: string[], env: Record<string, string | undefined> = {}) =>
  runBottega(["run", ...args, "--yes"], {
    BOTTEGA_URL: door.url,
    BOTTEGA_API_KEY: door.key.token,
    XDG_STATE_HOME: home,
    ...env,
  });
/** Runs a command in this process and captures its output. */
async function runHere(
  args: string[],
  env: Record<string, string | undefined> = {},
  further: Partial<RunSurroundings> = {},
) {
  const said: string[] = [];
  const told: string[] = [];
  const code = await runModel(args, {
    env: {
      BOTTEGA_URL: door.url,
      BOTTEGA_API_KEY: door.key.token,
      XDG_STATE_HOME: home,
      ...env,
    },
    fetch,
    waitsMs: [],
    say: (line) => said.push(line),
    tell: (line) => told.push(line),
    ...further,
  });
  return { code, said, told: told.join("\n") };
}
const small = ["--input", 'image_size={"width":64,"height":64}'];

it("the command makes a picture, follows it, and downloads the file", async () => {
  const folder = createTempFolder("made");
  const { code, stdout, stderr } = await run([
    door.names.fal,
    "--prompt",
    "a quay",
    ...small,
    "--output",
    folder,
  ]);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^fal\S*: about \$0\.\d+/)]);
  const [name, recipe] = readdirSync(folder);
  expect(stdout.trim()).toBe(join(folder, name!));
  expect(readFileSync(join(folder, name!)).subarray(1, 4).toString()).toBe("PNG");
  expect(recipe).toBe(`${name}.recipe.json`);
  expect(JSON.parse(readFileSync(join(folder, recipe!), "utf8"))).toMatchObject({
    asset: { mime: "image/png" },
    run: { task: "image", input: { prompt: "a quay" } },
  });
  // Saved results need no resuming.
  expect(readdirSync(join(home, "bottega"))).toEqual([]);
});

it("with --json it prints only the result as JSON: runs, costs and files", async () => {
  const folder = createTempFolder("made");
  const { code, stdout } = await run([
    door.names.image,
    "--prompt",
    "two quays",
    "--variants",
    "2",
    "--json",
    "--output",
    folder,
  ]);
  const said = JSON.parse(stdout) as {
    runs: { state: string }[];
    files: { path: string; bytes: number }[];
  };
  expect([code, said.runs.map(({ state }) => state)]).toEqual([0, ["succeeded", "succeeded"]]);
  expect(said.files.map(({ path, bytes }) => readFileSync(path).length === bytes)).toEqual([
    true,
    true,
  ]);
});

it("it answers a question in the terminal, with the given settings", async () => {
  const { code, stdout } = await run([
    door.names.chat,
    "--prompt",
    "hello there",
    "--input",
    "temperature=0.5",
  ]);
  expect([code, stdout]).toEqual([0, "You said: hello there\n"]);
  expect(door.studio.openai.posts.at(-1)!.body).toMatchObject({ temperature: 0.5 });
});

it("a file is sent in the named field", async () => {
  const folder = createTempFolder("given");
  mkdirSync(folder, { recursive: true });
  const sound = Buffer.from(
    await (
      await door.client.audio.speech.create({
        model: door.names.speech,
        input: "x",
        voice: "alloy",
      })
    ).arrayBuffer(),
  );
  writeFileSync(join(folder, "a.wav"), sound);
  const { code, stdout } = await run([
    door.names.transcription,
    "--file",
    `file=${join(folder, "a.wav")}`,
    "--output",
    folder,
  ]);
  expect(code).toBe(0);
  expect(readFileSync(stdout.trim(), "utf8")).toMatch(/^A transcript of/);
});

it("a failed run exits with 1 and says why; an invalid request exits with 2", async () => {
  door.studio.fal.script("a bad quay", "content-policy");
  const failed = await run([door.names.fal, "--prompt", "a bad quay", ...small]);
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(failed.stderr).toMatch(/^Run [0-9a-f-]{36} is failed\./m);
  const wrong: [string[], Record<string, string | undefined>, RegExp][] = [
    [[door.names.fal, "x"], { BOTTEGA_API_KEY: "bottega_wrong" }, /API key/],
    [[door.names.fal, "x"], { BOTTEGA_API_KEY: undefined }, /Set BOTTEGA_API_KEY/],
    [[door.names.fal, "x"], { BOTTEGA_URL: "http://127.0.0.1:9" }, /could not be reached/],
    [[`${door.names.chat}x`, "x"], {}, /Near it: /],
    [[door.names.fal, "x", "--prompt", "y"], {}, /two prompts/],
    [[door.names.fal, "--file", "image_url=/nowhere.png"], {}, /can't be read/],
    [[door.names.fal, "--input", "nothing"], {}, /has no name/],
    [[door.names.fal, "--frobnicate"], {}, /frobnicate/],
    [["--resume", "../../etc/passwd"], {}, /nothing to resume/],
    [[], {}, /Name one model/],
  ];
  for (const [args, env, why] of wrong) {
    const { code, said, told } = await runHere(args, env);
    expect([args, code, said]).toEqual([args, 2, []]);
    expect(told).toMatch(why);
  }
});

it("nothing is spent without a yes to the shown price", async () => {
  const asked: string[] = [];
  const confirm = async (question: string) => {
    asked.push(question);
    return false;
  };
  const before = door.studio.fal.ledger.posts.length;
  const args = [door.names.fal, "an unwanted quay", ...small];
  for (const further of [{}, { confirm }]) {
    const { code, told } = await runHere(args, {}, further);
    expect([code, told]).toEqual([2, expect.stringMatching(/: about \$0\.\d+/)]);
  }
  expect(asked).toHaveLength(1);
  expect(door.studio.fal.ledger.posts.length).toBe(before);
  const yes = await runHere(
    [...args, "--out", createTempFolder("made")],
    {},
    {
      confirm: async () => true,
    },
  );
  expect(yes.code).toBe(0);
});

it("a declined price leaves no file in the library: files are uploaded later, or go to the trash", async () => {
  const folder = createTempFolder("given");
  mkdirSync(folder, { recursive: true });
  const titles = async (trash: "true" | "false") => {
    const query = { projectId: door.studio.person.projectId, trash };
    const { body } = await door.key.call<{ assets: Asset[] }>("listAssets", { query });
    return body.assets.map(({ title }) => title);
  };
  const declineWith = async (model: string, field: string, name: string) => {
    writeFileSync(join(folder, name), `${name} `.repeat(100));
    const asked: string[] = [];
    const confirm = async (question: string) => {
      asked.push(question);
      return false;
    };
    const args = [model, "a quay", "--file", `${field}=${join(folder, name)}`];
    const { code, told } = await runHere(args, {}, { confirm });
    expect([code, told, asked.length]).toEqual([2, expect.stringMatching(/Nothing was spent/), 1]);
  };
  await declineWith(door.names.fal, "image_url", "unwanted.txt");
  expect([await titles("false"), await titles("true")].flat()).not.toContain("unwanted.txt");
  await declineWith(door.names.transcription, "file", "unheard.txt");
  expect(await titles("false")).not.toContain("unheard.txt");
  expect(await titles("true")).toContain("unheard.txt");
});

it("closing the terminal at the question isn't consent", async () => {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const terminal = Object.assign(Object.create(process) as NodeJS.Process, {});
  Object.defineProperties(terminal, {
    stdin: { value: Object.assign(stdin, { isTTY: true }) },
    stderr: { value: Object.assign(stderr, { isTTY: true }) },
  });
  const answer = terminalOf(terminal).confirm!("Spend this? [y/N] ");
  stdin.end();
  expect(await answer).toBe(false);
});

/** A proxy to the server that loses the answers to `method path` after the server has acted. */
async function openTornLine(method: string, path: string, most = Number.POSITIVE_INFINITY) {
  let torn = 0;
  const proxy = createServer((request, response) => {
    const { url = "", headers } = request;
    void (async () => {
      const body = await buffer(request);
      const answer = await fetch(`${door.url}${url}`, {
        method: request.method!,
        headers: { ...(headers as Record<string, string>), host: new URL(door.url).host },
        ...(body.length > 0 && { body }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (request.method === method && url.startsWith(path) && torn < most) {
        torn++;
        return void request.socket.destroy();
      }
      response.writeHead(answer.status, {
        "content-type": answer.headers.get("content-type") ?? "",
      });
      response.end(bytes);
    })();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    torn: () => torn,
  };
}

it("a request whose answer is lost is sent again under its key, and is paid once", async () => {
  const line = await openTornLine("POST", "/api/v1/runs", 2);
  const folder = createTempFolder("made");
  const { code, said } = await runHere(
    [door.names.fal, "a torn quay", ...small, "--out", folder, "--yes"],
    { BOTTEGA_URL: line.url },
    { waitsMs: [0, 0, 0] },
  );
  expect([code, said.length, line.torn()]).toEqual([0, 1, 2]);
  expect(door.studio.fal.ledger.postsOf("a torn quay")).toBe(1);
});

it("an interrupted command is resumed by its key alone: the same run, saved, and paid once", async () => {
  const line = await openTornLine("POST", "/api/v1/runs", 1);
  const folder = createTempFolder("made");
  const broken = await runHere(
    [door.names.fal, "a lost quay", ...small, "--out", folder, "--yes"],
    { BOTTEGA_URL: line.url },
  );
  expect([broken.code, broken.said]).toEqual([1, []]);
  const key = /bottega run --resume (\S+)/.exec(broken.told)![1]!;
  const kept = readFileSync(join(home, "bottega", `${key}.json`), "utf8");
  expect(kept).not.toContain(door.key.token);
  // A refused key reveals nothing about another key's work.
  const refused = await runHere(["--resume", key], { BOTTEGA_API_KEY: "bottega_wrong" });
  expect(refused.code).toBe(2);
  const { code, said } = await runHere(["--resume", key]);
  expect([code, said.length]).toEqual([0, 1]);
  expect(door.studio.fal.ledger.postsOf("a lost quay")).toBe(1);
  expect((await runHere(["--resume", key])).code).toBe(2);
});

it("an answer lost on the way is the same when requested again, and is paid once", async () => {
  const line = await openTornLine("POST", "/v1/chat/completions", 1);
  const before = door.studio.openai.posts.length;
  const { code, said } = await runHere(
    [door.names.chat, "where is the quay?", "--json", "--yes"],
    { BOTTEGA_URL: line.url },
    { waitsMs: [0] },
  );
  expect([code, line.torn()]).toEqual([0, 1]);
  expect(JSON.parse(said.join(""))).toMatchObject({ text: "You said: where is the quay?" });
  expect(door.studio.openai.posts.length).toBe(before + 1);
});

it("the server serves the command as one file that knows its server and needs no package", async () => {
  const answer = await fetch(`${door.url}/cli.mjs`);
  const script = await answer.text();
  expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(script).toContain(JSON.stringify(door.url));
  const imported = [...script.matchAll(/^import .* from "(.+)";$/gm)].map(([, name]) => name!);
  expect(imported.filter((name) => !name.startsWith("node:"))).toEqual([]);
  const again = await fetch(`${door.url}/cli.mjs`, {
    headers: { "if-none-match": answer.headers.get("etag")! },
  });
  expect(again.status).toBe(304);

  const folder = createTempFolder("client");
  writeFileSync(join(folder, "cli.mjs"), script);
  const args = ["run", door.names.fal, "a quay alone", ...small, "--out", folder, "--yes"];
  const child = spawn(process.execPath, [join(folder, "cli.mjs"), ...args], {
    env: { PATH: process.env.PATH, HOME: folder, BOTTEGA_API_KEY: door.key.token },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect([code, readFileSync(said.trim()).subarray(1, 4).toString()]).toEqual([0, "PNG"]);
});

it("the package is reproducible, holds the file and its manifest, and contains no one's name or time", async () => {
  const fetchPackage = async () =>
    Buffer.from(await (await fetch(`${door.url}/cli.tgz`)).arrayBuffer());
  const packed = await fetchPackage();
  expect(packed.equals(await fetchPackage())).toBe(true);
  const folder = createTempFolder("package");
  writeFileSync(join(folder, "cli.tgz"), packed);
  execFileSync("tar", ["-xzf", "cli.tgz"], { cwd: folder });
  expect(readdirSync(join(folder, "package"))).toEqual(["cli.mjs", "package.json"]);
  const manifest = JSON.parse(readFileSync(join(folder, "package", "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "bottega", bin: { bottega: "cli.mjs" } });
  expect(manifest.dependencies ?? manifest.scripts).toBeUndefined();
  expect(readFileSync(join(folder, "package", "cli.mjs"), "utf8")).toBe(
    await (await fetch(`${door.url}/cli.mjs`)).text(),
  );
  const listed = execFileSync("tar", ["-tvzf", "cli.tgz", "--numeric-owner"], {
    cwd: folder,
    env: { ...process.env, TZ: "UTC" },
  }).toString();
  expect(listed.match(/ 0\/0 .* 1970-01-01 00:00/g)).toHaveLength(2);
});

it("the file contains the server's name only as a string, whatever that name is", async () => {
  const { port } = new URL(door.url);
  const asked = await new Promise<string>((resolve, reject) => {
    const request = get({
      port,
      host: "127.0.0.1",
      path: "/cli.mjs",
      headers: { host: `a";b.localhost:${port}` },
    });
    request.on("response", (response) => resolve(text(response))).on("error", reject);
  });
  expect(asked).not.toContain('"a";b');
});
