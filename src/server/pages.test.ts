import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { createTempFolder } from "../../test/support/temp.ts";
import type { Env } from "./env.ts";
import { createPages } from "./pages.ts";

it("the diagram frame has no origin and no network, and only our pages can embed it", async () => {
  const folder = createTempFolder("pages");
  mkdirSync(join(folder, "assets"));
  for (const name of ["index.html", "diagram.html", "assets/frame.js"])
    writeFileSync(join(folder, name), "");
  const answerPage = createPages(folder);
  const app = new Hono<Env>().get("*", async (c) => (await answerPage(c)) ?? c.text("none", 404));
  const headersOf = async (path: string) => (await app.request(path)).headers;
  const policyOf = async (path: string) =>
    ((await headersOf(path)).get("content-security-policy") ?? "").split("; ");
  expect(await policyOf("/diagram.html")).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-scripts",
  ]);
  expect((await headersOf("/diagram.html")).get("x-frame-options")).toBe("SAMEORIGIN");
  // The app's own pages can't be framed, allow only their own styles, and aren't shared by CORS.
  for (const path of ["/", "/chat", "/chat/diagram.html", "/diagram"]) {
    expect(await policyOf(path)).toContain("style-src 'self'");
    expect(await policyOf(path)).toContain("frame-ancestors 'none'");
    expect((await headersOf(path)).get("x-frame-options")).toBe("DENY");
    expect((await headersOf(path)).get("access-control-allow-origin")).toBeNull();
  }
  expect((await headersOf("/assets/frame.js")).get("access-control-allow-origin")).toBe("*");
});

it("an address with invalid UTF-8 or outside the folder shows no other file and never fails", async () => {
  const folder = createTempFolder("pages");
  writeFileSync(join(folder, "index.html"), "<p>Bottega</p>");
  const answerPage = createPages(folder);
  const app = new Hono<Env>().get("*", async (c) => (await answerPage(c)) ?? c.text("none", 404));
  const statusOf = async (path: string) => (await app.request(path)).status;
  expect(await statusOf("/create")).toBe(200);
  expect(await statusOf("/%00")).toBe(200);
  expect(await statusOf("/%ff")).toBe(404);
  expect(await statusOf("/a%E0%A4%A.js")).toBe(404);
  expect(await (await app.request("/..%2f..%2fetc%2fpasswd")).text()).toContain("Bottega");
});
