import { expect, it } from "vitest";
import { setUpStudio } from "../../support/browser/set-up-studio.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";

const { open } = setUpStudio();

it("the API reference has every call, finds them by words, and opens their parameters and responses", async () => {
  const page = await open("/docs");
  await page.getByText("/v1/chat/completions").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("searchbox", { name: "Search calls" }).fill("one or more runs");
  const call = page.getByRole("button", { name: /POST \/api\/v1\/runs/ });
  await call.click();
  expect(await call.getAttribute("aria-expanded")).toBe("true");
  await page.getByText("Requires an API key with the scope runs:write").waitFor();
  await page.getByText("idempotencyKey").first().waitFor();
  expect(await page.getByText("/v1/chat/completions").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("searchbox", { name: "Search calls" }).fill("nothing like this");
  await page.getByText("No matching calls").waitFor();
});
