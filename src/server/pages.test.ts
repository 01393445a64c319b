import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { createTempFolder } from "../../test/support/temp.ts";
import type { Env } from "./env.ts";
import { createPages } from "./pages.ts";

it("an address that is no UTF-8 or climbs out of the folder shows no other file and never fails", async () => {
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
