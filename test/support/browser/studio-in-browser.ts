import type { Browser, BrowserContext, Page } from "playwright-core";
import { placesOfSimulators } from "../databases/store-rows.ts";
import { type ServerProcess, startServer } from "../server/server-process.ts";
import { createTempFolder } from "../temp.ts";
import { createProfiles, type ProfileOptions } from "./profiles.ts";

export const ownerPassword = "correct horse battery";

/** A signed-in person over HTTP, who prepares a browser test's data. */
export type Api = {
  projectId: string;
  cookie: string;
  get<T>(path: string): Promise<T>;
  send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T>;
  upload(name: string, bytes: Uint8Array): Promise<{ id: string }>;
};

/** The real server in a separate folder, with its owner set up, and functions that open it. */
export type Studio = ServerProcess & {
  api: Api;
  setupCode: string;
  dataFolder: string;
  /** Opens a separate browser profile, signed in as the owner once there is one. */
  openAs(
    browser: Browser,
    options?: ProfileOptions,
  ): Promise<{ context: BrowserContext; page: Page }>;
  openSignedOut(
    browser: Browser,
    options?: ProfileOptions,
  ): Promise<{ context: BrowserContext; page: Page }>;
};

/**
 * @param options.env settings in addition to the defaults; `setUp: false` leaves the studio without
 *   an owner
 */
export async function startStudio(
  options: { env?: Record<string, string>; setUp?: boolean; dataFolder?: string } = {},
): Promise<Studio> {
  const dataFolder = options.dataFolder ?? createTempFolder("studio");
  const server = await startServer({ dataFolder, env: options.env });
  const setupCode = server.setupLink?.split("code=")[1] ?? "";
  const api = options.setUp === false ? (undefined as never) : await setUp(server.url, setupCode);
  const openSignedOut = createProfiles(server.url);
  return Object.assign(server, {
    api,
    setupCode,
    dataFolder,
    openSignedOut,
    async openAs(browser: Browser, options?: ProfileOptions) {
      const opened = await openSignedOut(browser, options);
      if (api) await signInWith(opened.context, server.url, api.cookie);
      return opened;
    },
  });
}

/** Replaces a browser profile's session. */
export async function signInWith(
  context: BrowserContext,
  url: string,
  cookie: string,
): Promise<void> {
  const [name, value] = cookie.split(/=(.*)/s);
  await context.addCookies([{ name: name!, value: value!, url }]);
}

/** Lets another person join through an invite; with a role, they also join the studio's project. */
export async function joinStudio(
  studio: Studio,
  person: { name: string; email: string; password: string; role?: "editor" | "viewer" },
  headers: Record<string, string> = {},
): Promise<{ id: string; cookie: string }> {
  const { name, email, password, role } = person;
  const { projectId } = studio.api;
  const { link } = await studio.api.send<{ link: string }>("POST", "/people/invites", {
    email,
    role: "member",
    projectIds: role ? [projectId] : [],
  });
  const response = await fetch(`${studio.url}/api/v1/invites/${link.split("/").at(-1)}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ name, password }),
  });
  if (!response.ok) throw new Error(`${email} could not join: ${await response.text()}`);
  const { user } = (await response.json()) as { user: { id: string } };
  if (role === "viewer")
    await studio.api.send("PATCH", `/projects/${projectId}/members/${user.id}`, { role });
  return { id: user.id, cookie: sessionOf(response) };
}

const sessionOf = (response: Response): string =>
  response.headers.getSetCookie()[0]!.split(";")[0]!;

async function setUp(url: string, code: string): Promise<Api> {
  const account = {
    code,
    name: "Ada Lovelace",
    email: "ada@example.org",
    password: ownerPassword,
    projectName: "Tide almanac",
  };
  const response = await fetch(`${url}/api/v1/setup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(account),
  });
  if (!response.ok) throw new Error(`set-up failed: ${await response.text()}`);
  return apiWith(url, sessionOf(response));
}

async function apiWith(url: string, cookie: string): Promise<Api> {
  async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { cookie, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }
  const me = await send<{ projects: { id: string }[] }>("GET", "/me");
  const projectId = me.projects[0]!.id;
  return {
    projectId,
    cookie,
    get: (path) => send("GET", path),
    send,
    async upload(name, bytes) {
      const response = await fetch(
        `${url}/api/v1/uploads?${new URLSearchParams({ projectId, name })}`,
        {
          method: "POST",
          headers: { cookie },
          body: Buffer.from(bytes),
        },
      );
      if (!response.ok) throw new Error(await response.text());
      return ((await response.json()) as { asset: { id: string } }).asset;
    },
  };
}

/** Connects a simulator for everyone and returns the connection's id. */
export async function connectKind(
  api: Api,
  kind: string,
  values: Record<string, string>,
  name = kind,
): Promise<string> {
  const body = { kind, name, scope: "instance", values: { ...placesOfSimulators, ...values } };
  return (await api.send<{ connection: { id: string } }>("POST", "/connections", body)).connection
    .id;
}

/** The built-in connection's id. */
export async function builtinConnection(api: Api): Promise<string> {
  const { connections } = await api.get<{ connections: { id: string; kind: string }[] }>(
    "/connections",
  );
  return connections.find((connection) => connection.kind === "builtin")!.id;
}
