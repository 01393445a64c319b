import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import {
  buildFile,
  buildRequest,
  failureOf,
  picture,
  setUpFal,
} from "../../../../test/support/services/fal.ts";
import type { InputFile } from "../../adapter.ts";
import { openDownload } from "../../outbound/outbound-download.ts";
import { fal } from "./adapter.ts";

const scene = setUpFal();
const { buildContext, restart, submit, toDone } = scene;
const job = fal.job!;

it("result files are private to the account and expire after a week", async () => {
  const { handle } = await toDone("mine alone");
  const { files } = await job.result(handle, buildContext());
  const [stored] = [...scene.sim.files.values()];
  expect(stored).toMatchObject({ isPrivate: true, lifetimeSeconds: 604_800 });
  const [file] = files;
  if (!file || !("url" in file)) throw new Error("no address");
  expect(file.expiresAt).toBe(1_000 + 604_800_000);
  const unsigned = new URL(file.url);
  unsigned.search = "";
  expect((await buildContext().fetch(unsigned)).status).toBe(403);
});

it("a key that may not sign files still gets its private outputs, through a token sent only to the CDN", async () => {
  await restart({ maySign: false });
  const { handle } = await toDone("no right to sign");
  const [file] = (await job.result(handle, buildContext())).files;
  if (!file || !("url" in file) || !file.needsKey) throw new Error("no address that needs the key");
  let size = 0;
  for await (const chunk of fal.openFile!(file.url, buildContext())) size += chunk.length;
  expect(size).toBe([...scene.sim.files.values()][0]?.size);
});

it("an output outside fal's storage keeps its address", async () => {
  const { handle } = await toDone("[sim:output-foreign]");
  expect((await job.result(handle, buildContext())).files).toMatchObject([
    { url: "https://files.example/image-1.png" },
  ]);
});

it("with files by link nothing is signed, and anyone can open the address", async () => {
  const context = buildContext({ options: { fileAccess: "link" } });
  const handle = await submit("open to all", context);
  for await (const _ of job.follow!(handle, context));
  const [file] = (await job.result(handle, context)).files;
  expect(file && "url" in file && (await context.fetch(file.url)).status).toBe(200);
  expect(scene.sim.ledger.requests.filter((request) => request.includes("sign"))).toEqual([]);
});

it("a missing output or a web page is reported, and a broken download is completed", async () => {
  const download = async (prompt: string) => {
    const { handle } = await toDone(prompt);
    const context = buildContext();
    const [file] = (await job.result(handle, context)).files;
    if (!file || !("url" in file)) throw new Error("no address");
    const { stream } = await openDownload({
      fetch: context.fetch,
      url: file.url,
      mostBytes: 1e7,
      signal: context.signal,
    });
    return Buffer.concat(await Array.fromAsync(stream));
  };
  await expect(download("[sim:output-404]")).rejects.toMatchObject({
    code: "output_unavailable",
    accepted: "yes",
  });
  await expect(download("[sim:output-html]")).rejects.toMatchObject({
    code: "output_unavailable",
    accepted: "yes",
  });
  const whole = await download("[sim:output-cut]");
  expect(whole.equals([...scene.sim.files.values()].at(-1)!.bytes!)).toBe(true);
});

it("input files are uploaded once, as streams of known length, named for their type, private, and signed for the model", async () => {
  const bytes = new Uint8Array(200_000).fill(7);
  const input = {
    prompt: "twice",
    start_image_url: `asset:${picture}`,
    elements: [{ reference_image_urls: [`asset:${picture}`] }],
  };
  await job.submit(
    buildRequest("acme/kling-video/v3/pro/image-to-video", input, [buildFile(bytes)]),
    buildContext(),
  );
  const [stored, ...others] = [...scene.sim.files.values()];
  expect(others).toEqual([]);
  expect(stored).toMatchObject({
    size: 200_000,
    mime: "image/png",
    name: "été du soir.png",
    isPrivate: true,
    lifetimeSeconds: 604_800,
  });
  const sent = scene.sim.ledger.posts[0]?.input as {
    start_image_url: string;
    elements: [{ reference_image_urls: string[] }];
  };
  expect(sent.elements[0].reference_image_urls).toEqual([sent.start_image_url]);
});

it("a file over 90 MB is uploaded in parts of 10 MB, in order and whole", async () => {
  const bytes = new Uint8Array(91 * 1024 * 1024);
  for (let at = 0; at < bytes.length; at += 4_096) bytes[at] = at / 4_096;
  await job.submit(
    buildRequest("sim/clarity-upscaler", { image_url: `asset:${picture}` }, [buildFile(bytes)]),
    buildContext(),
  );
  const [stored] = [...scene.sim.files.values()];
  const hashes = [...(stored?.pieces.values() ?? [])].map(({ sha256 }) => sha256);
  const part = 10 * 1024 * 1024;
  const expected = Array.from({ length: 10 }, (_, index) =>
    createHash("sha256")
      .update(bytes.subarray(index * part, (index + 1) * part))
      .digest("hex"),
  );
  expect(hashes).toEqual(expected);
  expect(stored).toMatchObject({ complete: true, size: bytes.length });
});

it("a missing file stops the run before any paid request", async () => {
  const error = await failureOf(
    job.submit(
      buildRequest("sim/clarity-upscaler", { image_url: `asset:${picture}` }),
      buildContext(),
    ),
  );
  expect(error).toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
    detail: { field: "image_url" },
  });
  expect(scene.sim.ledger.posts).toEqual([]);
});

it("a run aborted in the middle of its upload ends with the given reason", async () => {
  const controller = new AbortController();
  const file = buildFile(new Uint8Array(10));
  const open: InputFile["open"] = async () => {
    controller.abort(new Error("given up"));
    return file.open();
  };
  const request = buildRequest("sim/clarity-upscaler", { image_url: `asset:${picture}` }, [
    { ...file, open },
  ]);
  await expect(job.submit(request, buildContext({ signal: controller.signal }))).rejects.toThrow(
    "given up",
  );
  expect(scene.sim.ledger.posts).toEqual([]);
});
