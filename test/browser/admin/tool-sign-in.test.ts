import type { Locator, Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import {
  type AuthorizationOptions,
  createAuthorization,
} from "../../simulators/mcp/authorization.ts";
import { startMcp } from "../../simulators/mcp.ts";
import { button, field } from "../../support/browser/locators.ts";
import { setUpStudio } from "../../support/browser/set-up-studio.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { soon } from "../../support/soon.ts";

/** A person signs in at a tool server with its own sign-in page, and returns. */
const { studio, open: openPage } = setUpStudio();
const open = (path: string) =>
  openPage(path, { permissions: ["clipboard-read", "clipboard-write"] });

async function startServer(options: AuthorizationOptions = {}) {
  const authorization = createAuthorization({ asksPerson: true, ...options });
  const server = await startMcp({ isToken: authorization.isToken, also: authorization.also });
  onTestFinished(() => server.stop());
  return { authorization, server };
}

/** Connects through the form; the connection's panel is open afterwards. */
async function connect(page: Page, name: string, server: string): Promise<Locator> {
  const form = page.getByRole("dialog");
  await form.getByRole("combobox", { name: /^Connection type/ }).click();
  await page.getByRole("option", { name: "address and sign-in", exact: true }).click();
  await field(form, "Address").fill(server);
  await form.getByRole("textbox", { name: /^Name/ }).fill(name);
  await button(form, "Check and connect").click();
  const panel = page.getByRole("complementary", { name });
  await panel.waitFor();
  return panel;
}

it("an admin connects a server, signs in there, and returns to its tools; a revoked sign-in asks for another", async () => {
  const { authorization, server } = await startServer();
  const page = await open("/admin/connections?add=mcp");
  const panel = await connect(page, "Notebook", server.url);
  await panel.getByText("Sign in to the tool server first.").waitFor();
  await button(panel, "Sign in").click();
  await button(page, "Allow").click();
  await panel.getByRole("status").getByText("Signed in.").waitFor();
  await panel.getByText("Works", { exact: true }).waitFor();
  await panel.getByText("4 tools", { exact: true }).waitFor();
  expect(authorization.refused).toEqual([]);
  expect(await findBarriers(page, "body")).toEqual([]);
  // The address contains nothing of the sign-in, and a reload shows nothing of it.
  await soon(async () => new URL(page.url()).search).toMatch(/^\?connection=[\w-]+$/);
  expect(new URL(page.url()).pathname).toBe("/admin/connections");
  await page.reload();
  await panel.waitFor();
  expect(await panel.getByText("Signed in.").count()).toBe(0);

  authorization.revokeAll();
  await button(panel, "Check").click();
  await panel
    .getByText("The sign-in to this tool server has expired. Sign in again.")
    .first()
    .waitFor();
  await panel
    .getByText("Fails", { exact: true })
    .or(panel.getByText("Failing", { exact: true }))
    .first()
    .waitFor();
  await button(panel, "Sign in").click();
  await button(page, "Allow").click();
  await panel.getByText("Signed in.").waitFor();
  await panel.getByText("Works", { exact: true }).waitFor();
});

it("a refusal at the server leads back to the person's own connections, with a way to try again", async () => {
  const { server } = await startServer();
  const page = await open("/settings/connections?add=mcp");
  // Only admins' connections may have an address of this machine, so it is added for everyone and
  // opened here.
  const values = { reach: "address and sign-in", server: server.url };
  const { connection } = await studio().api.send<{ connection: { id: string } }>(
    "POST",
    "/connections",
    {
      kind: "mcp",
      name: "Diary",
      scope: "instance",
      values,
    },
  );
  await page.goto(`/settings/connections?connection=${connection.id}`);
  const panel = page.getByRole("complementary", { name: "Diary" });
  await button(panel, "Sign in").click();
  await button(page, "Deny").click();
  await panel
    .getByRole("alert")
    .getByText("The server denied the sign-in. Nothing changed.")
    .waitFor();
  expect(new URL(page.url()).pathname).toBe("/settings/connections");
  expect(await findBarriers(page, "body")).toEqual([]);
  await button(panel, "Sign in again").click();
  await button(page, "Allow").click();
  await panel.getByText("Signed in.").waitFor();
  // The return address works only once: opening it again shows that it has expired, and does no
  // harm.
  await page.goto(`/api/v1/connections/signed-in?code=again&state=none.settings.${connection.id}`);
  await panel.getByText("This sign-in has expired").waitFor();
  await panel.getByText("Works", { exact: true }).waitFor();
});

it("a server without client registration says what to register, and works with the app's ID and secret", async () => {
  const { authorization, server } = await startServer({
    registers: false,
    authMethod: "client_secret_basic",
  });
  const page = await open("/admin/connections?add=mcp");
  const panel = await connect(page, "Tracker", server.url);
  await panel.getByText(/requires a registered app/).waitFor();
  const redirect = await field(panel, "Redirect address").inputValue();
  expect(redirect).toBe(`${studio().url}/api/v1/connections/signed-in`);
  await button(panel, "Copy").click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(redirect);
  await button(panel, "Sign in").click();
  await panel.getByRole("alert").getByText(redirect).waitFor();

  authorization.addClient({ id: "app-1", secret: "app-secret-1234567890", redirect });
  await button(panel, "Edit").click();
  const form = page.getByRole("dialog", { name: "Edit Tracker" });
  expect(await field(form, "Redirect address").inputValue()).toBe(redirect);
  await form.getByRole("textbox", { name: /^Client ID/ }).fill("app-1");
  await form.getByLabel(/^Client secret/).fill("app-secret-1234567890");
  await button(form, "Save and check").click();
  // It is saved, and the connection shows what is left to do.
  await form.waitFor({ state: "detached" });
  await panel.getByText("Sign in to the tool server first.").waitFor();
  // The earlier message was about the previous values.
  expect(await panel.getByRole("alert").count()).toBe(0);
  await button(panel, "Sign in").click();
  await button(page, "Allow").click();
  await panel.getByText("Signed in.").waitFor();
  expect(authorization.refused).toEqual([]);
});
