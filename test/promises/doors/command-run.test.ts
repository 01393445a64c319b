import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runModel } from "../../../src/commands/run-model.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import { runBottega } from "../../support/server/run-command.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";
import { createTempFolder } from "../../support/temp.ts";

let door: Door;
beforeAll(async () => {
  door = await openDoor(await createTestDatabase("sqlite"));
});
afterAll(() => door.studio.close());

const run = (args: string[], env: Record<string, string | undefined> = {}) =>
  runBottega(["run", ...args], { BOTTEGA_URL: door.url, BOTTEGA_KEY: door.key.token, ...env });
const small = ["--input", 'image_size={"width":64,"height":64}'];

it("the command makes a picture, follows it, and brings the file down", async () => {
  const folder = createTempFolder("made");
  const { code, stdout, stderr } = await run([
    door.names.fal,
    "--prompt",
    "a quay",
    ...small,
    "--output",
    folder,
  ]);
  expect([code, stderr]).toEqual([0, ""]);
  const [name] = readdirSync(folder);
  expect(stdout.trim()).toBe(join(folder, name!));
  expect(readFileSync(join(folder, name!)).subarray(1, 4).toString()).toBe("PNG");
});

it("with --json it says what came as JSON and nothing else: runs, costs and files", async () => {
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

it("it answers a question in the terminal, with the settings that were given", async () => {
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

it("a file goes in under the field that is named", async () => {
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

it("a run that fails ends with 1 and says why; what can't be asked ends with 2", async () => {
  door.studio.fal.script("a bad quay", "content-policy");
  const failed = await run([door.names.fal, "--prompt", "a bad quay", ...small]);
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(failed.stderr).toMatch(/^Run [0-9a-f-]{36} is failed\./);
  const wrong: [string[], Record<string, string | undefined>, RegExp][] = [
    [[door.names.fal, "--prompt", "x"], { BOTTEGA_KEY: "bottega_wrong" }, /API key/],
    [[door.names.fal, "--prompt", "x"], { BOTTEGA_KEY: undefined }, /Set BOTTEGA_KEY/],
    [
      [door.names.fal, "--prompt", "x"],
      { BOTTEGA_URL: "http://127.0.0.1:9" },
      /could not be reached/,
    ],
    [[`${door.names.chat}x`, "--prompt", "x"], {}, /Near it: /],
    [[door.names.fal, "--file", "image_url=/nowhere.png"], {}, /can't be read/],
    [[door.names.fal, "--input", "nothing"], {}, /has no name/],
    [[door.names.fal, "--frobnicate"], {}, /frobnicate/],
    [[], {}, /Name one model/],
  ];
  for (const [args, env, why] of wrong) {
    const said: string[] = [];
    const surroundings = {
      env: { BOTTEGA_URL: door.url, BOTTEGA_KEY: door.key.token, ...env },
      say: () => expect.fail("said something"),
    };
    const code = await runModel(args, { ...surroundings, tell: (line) => void said.push(line) });
    expect([args, code]).toEqual([args, 2]);
    expect(said.join("\n")).toMatch(why);
  }
});
