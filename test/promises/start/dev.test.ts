import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { launch, shellEnvironment } from "../../support/server/launched.ts";
import { createTempFolder } from "../../support/temp.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

/** Runs `npm run dev` in this checkout with a separate data folder. */
function dev(port: number) {
  const env = {
    ...shellEnvironment("http://127.0.0.1:9/"),
    BOTTEGA_DATA: createTempFolder("dev"),
    PORT: String(port),
  };
  const run = launch(process.execPath, [join(root, "scripts", "dev.mjs")], { cwd: root, env });
  onTestFinished(async () => {
    run.child.kill("SIGTERM");
    await run.ended;
  });
  return run;
}

it("the set-up link from npm run dev opens the app, whose API and /v1 answer at the same address", async () => {
  const run = dev(0);
  const [, origin, code] = await run.until(
    /Set up here, once: (http:\/\/127\.0\.0\.1:\d+)\/setup#code=(\S+)/,
  );
  await run.until(/Local/);
  const page = await fetch(`${origin}/setup`);
  expect(await page.text()).toContain("/@vite/client");
  expect(await (await fetch(`${origin}/api/v1/instance`)).json()).toMatchObject({ setUp: false });
  expect((await fetch(`${origin}/v1/models`)).status).toBe(401);
  const owner = {
    code,
    name: "Ada",
    projectName: "Harbor",
    email: "ada@example.org",
    password: "a long pass phrase",
  };
  const headers = { "content-type": "application/json", origin: origin! };
  const made = await fetch(`${origin}/api/v1/setup`, {
    method: "POST",
    headers,
    body: JSON.stringify(owner),
  });
  expect(made.ok, await made.text()).toBe(true);
});

it("a port in use is named in one sentence", async () => {
  const taken = createServer().listen({ port: 0, host: "127.0.0.1" });
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const run = dev(port);
  expect((await run.ended).code).not.toBe(0);
  expect(run.output()).toContain(
    `Port ${port} can't be used (EADDRINUSE): set PORT to another one.`,
  );
});
