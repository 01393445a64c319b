import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { Asset } from "#contract/entities.ts";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import { type RouteOutput, schemas } from "#contract/schemas/index.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import { readZip } from "../support/read-zip.ts";
import { createInstance, type Instance } from "../support/server/instance.ts";
import {
  createHouse,
  type House,
  type Thing,
  type ThingKind,
  type Viewer,
} from "../support/studio/house.ts";
import {
  hasAny,
  ids,
  isIn,
  type List,
  listsOf,
  sees,
  statusOf,
} from "../support/studio/house-lists.ts";

/**
 * Routes that list nothing, with their contents. Every other route that reads or answers rows is
 * checked here.
 */
const others: Partial<Record<RouteName, string>> = {
  getInstance: "whether the server is set up",
  getSession: "who asks, as getMe",
  getInvite: "whom a one-time link is for, to who has it",
  getOpenApi: "the API's description",
  getStorage: "how the file storage is, to admins",
  getBackups: "when and where backups are made, to admins",
  downloadAudit: "the entries of listAudit",
  getPersonDeletion: "how much is a person's, to admins, with names of projects that they own",
  getMyDeletion: "the same, to oneself",
  listKinds: "the kinds of services that the program knows",
  getOpenAiModel: "one of the models that are listed",
  getModel: "one of the models that are listed",
  getModelSample: "the provider's picture of one of the models that are listed",
  getResponse: "one answer, to the key's person who asked for it",
  listInputItems: "the input of one answer, to the key's person who asked for it",
  getFromFal: "one request, to who began it",
  getFalHookKeys: "public keys of the whole instance",
  getLinkedFile: "one file, to who has its link",
  getRunEvents: "the events of one run, as a stream",
  locateAsset: "where one asset is in what layoutAssets lays out (promises/server/similar.test.ts)",
  getRemotePicture: "a picture elsewhere that a message names, to who may read the message",
  getVariant: "a file in another size",
  getWordList: "one of the word lists that are listed, to those who may list them",
  listWorkflows: "workflows of one connection, to who may use it",
  listLocalModels: "what one connection's server has loaded, to who may use it",
  finishSignIn: "the way back from a provider's sign-in",
  downloadUsage: "the books of what getUsage adds up",
  getKeepers: "runs and files that are listed, added up (promises/engine/money/keepers.test.ts)",
  downloadInstanceUsage: "the books of what getInstanceUsage adds up",
  downloadLeaderboard: "the same votes as getLeaderboard",
  getLeaderboard: "the votes of comparisons that are listed (promises/server/comparisons.test.ts)",
  lookAround: "servers near this one, to who sets it up",
  setUp: "the account that it makes",
  lookForServers: "servers near this one",
  setProjectBudget: "the project's budgets, to its managers",
  getProject: "one of the projects that are listed",
  listAdminProjects: "the names of projects and owners, to admins",
  getProjectDeletion: "how much a project contains, to its owner",
  getAdminProjectDeletion: "how much a project contains, to admins",
  listDeletedProjects: "the names of deleted projects, to admins",
  createRuns: "the runs that it makes",
  listFolders: "its person's own folders and tags (promises/chats/folders.test.ts)",
  getFiling: "a conversation's folder and tags, to its author (promises/chats/folders.test.ts)",
  fileConversation: "the same",
  updateAssets: "the assets that it names",
  sendMessage: "the answers that it requested",
  fetchOutputs: "one run",
  createResponse: "one answer",
  compareBill: "a bill, to who manages its connection",
  compareInvoice: "a bill, to who manages its connection",
  adoptBill: "a bill, to who manages its connection",
};
const looked = [
  "getComparison",
  "getConversation",
  "exportConversation",
  "listMessages",
  "getConversationCost",
  "findMessages",
  "getRun",
  "listRunEvents",
  "getAsset",
  "listMadeFrom",
  "getFile",
  "getConnection",
  "exportProject",
  "downloadAssets",
];

forEachDatabase((_, create) => {
  let instance: Instance;
  let house: House;
  beforeAll(async () => {
    instance = await createInstance(await create(), { start: false });
    house = await createHouse(instance);
  });
  afterAll(() => instance.close());

  /**
   * Whether another person's object is hidden from a viewer. API keys' names are only for admins.
   */
  const isSecret = ({ kind, is, isPrivate, isElsewhere }: Thing, viewer: Viewer): boolean => {
    if (kind === "key") return viewer.instanceRole === "member" || viewer.scopes !== null;
    return (isPrivate || isElsewhere === true) && is !== "instance";
  };
  /** The hidden objects that an answer reveals; each private object has a distinctive word. */
  const leaksIn = (text: string, viewer: Viewer): string[] =>
    house.things
      .filter(
        (thing) =>
          thing.by !== viewer.person && isSecret(thing, viewer) && text.includes(thing.mark),
      )
      .map(({ kind, is, by }) => `${kind} ${is} of ${by}`);
  const people = () => house.viewers.filter(({ scopes }) => !scopes);
  const fetchAs = (viewer: Viewer, path: string, form?: Record<string, string>) =>
    instance
      .request(path, {
        headers: { cookie: house.people[viewer.person].cookie },
        ...(form && { method: "POST", body: new URLSearchParams(form) }),
      })
      .then(async (response) => ({
        status: response.status,
        type: response.headers.get("content-type"),
        files:
          response.status === 200
            ? await readZip(Buffer.from(await response.arrayBuffer()))
            : new Map<string, Buffer>(),
      }));

  it("this file covers every list of the API", () => {
    const known = new Set<string>([
      ...listsOf(house).map(({ name }) => name),
      ...looked,
      ...Object.keys(others),
    ]);
    const listing = (Object.keys(routes) as RouteName[]).filter((name) => {
      const { response } = schemas[name] as { response?: z.ZodType };
      const hasRows =
        response instanceof z.ZodObject &&
        Object.values(response.shape).some((part) => part instanceof z.ZodArray);
      return (routes[name] as Route).method === "GET" || hasRows;
    });
    expect(listing.filter((name) => !known.has(name))).toEqual([]);
  });

  it("every list, count and search holds exactly what its reader may see", async () => {
    for (const list of listsOf(house))
      for (const viewer of house.viewers) {
        const at = `${list.name} ${JSON.stringify(list.given?.query ?? {})} for ${viewer.name}`;
        const { status, whole, text } = await readAll(viewer, list);
        expect([at, status]).toEqual([at, statusOf(viewer, list.name)]);
        if (status !== 200) continue;
        expect([at, list.read(whole)]).toEqual([at, list.expected(viewer)]);
        expect([at, leaksIn(text, viewer)]).toEqual([at, []]);
      }
  });

  /** Reads all pages. */
  async function readAll(viewer: Viewer, { name, given }: Pick<List, "name" | "given">) {
    const { status, body } = await viewer.caller.call(name, given);
    const whole: Record<string, unknown> = { ...body };
    let text = JSON.stringify(body);
    for (let { next } = body; typeof next === "string"; ) {
      const page = (
        await viewer.caller.call(name, { ...given, query: { ...given?.query, cursor: next } })
      ).body;
      for (const [key, rows] of Object.entries(page))
        if (Array.isArray(rows)) whole[key] = [...(whole[key] as unknown[]), ...rows];
      text += JSON.stringify(page);
      next = page.next;
    }
    return { status, whole, text };
  }

  it("an object missing from every list opens for nobody, and an open one names only what its reader may see", async () => {
    const routesOf: Partial<Record<ThingKind, readonly RouteName[]>> = {
      conversation: [
        "getConversation",
        "exportConversation",
        "listMessages",
        "getConversationCost",
      ],
      run: ["getRun", "listRunEvents"],
      asset: ["getAsset", "getFile"],
      comparison: ["getComparison"],
    };
    // Of the many runs, one for each purpose; each of a current member, of a former one, and of
    // another project.
    const looked = house.things.filter(
      ({ kind, is, by }) =>
        ["owner", "editor", "removed", "member"].includes(by) &&
        (kind !== "run" || ["made", "reading", "answer of plain"].includes(is)),
    );
    for (const viewer of house.viewers)
      for (const thing of looked)
        for (const name of routesOf[thing.kind] ?? []) {
          const at = `${name} of ${thing.by}'s ${thing.isPrivate ? "private" : "shared"} ${thing.is} for ${viewer.name}`;
          const door = statusOf(viewer, name);
          const { status, body } = await viewer.caller.call(name, {
            params: { [`${thing.kind}Id`]: thing.id },
            ...(name === "exportConversation" && { query: { format: "json" } }),
          });
          // The refusal is the house's; the person's own project has another.
          const isBarred = door === 401 || door === 403;
          expect([at, status]).toEqual([at, isBarred ? door : sees(viewer, thing) ? 200 : 404]);
          if (status !== 200) continue;
          expect([at, leaksIn(JSON.stringify(body), viewer)]).toEqual([at, []]);
          if (name === "getRun")
            expectInputs(at, viewer, thing, body as unknown as RouteOutput<"getRun">);
          if (name === "getAsset") {
            const detail = body as unknown as RouteOutput<"getAsset">;
            expectNeighbours(at, viewer, thing, detail);
            const pages = await readAll(viewer, madeFrom(thing));
            expect([at, pages.whole.assets]).toEqual([at, detail.madeFrom]);
            expect([at, leaksIn(pages.text, viewer)]).toEqual([at, []]);
          }
        }
  });

  const madeFrom = ({ id }: Thing) =>
    ({
      name: "listMadeFrom",
      given: { params: { assetId: id }, query: { limit: "1" } },
    }) as const;

  const visible = (viewer: Viewer, among: readonly string[]): string[] =>
    ids(house.things.filter((thing) => among.includes(thing.id) && sees(viewer, thing)));

  function expectInputs(
    at: string,
    viewer: Viewer,
    run: Thing,
    { inputs }: RouteOutput<"getRun">,
  ): void {
    expect([at, inputs.map(({ assetId }) => assetId).sort()]).toEqual([
      at,
      visible(viewer, run.inputs ?? []),
    ]);
  }

  function expectNeighbours(
    at: string,
    viewer: Viewer,
    asset: Thing,
    { sources, madeFrom }: RouteOutput<"getAsset">,
  ): void {
    const isMadeBy = (run: Thing) => (thing: Thing) =>
      thing.kind === "asset" &&
      thing.is === "made" &&
      thing.by === run.by &&
      thing.isPrivate === run.isPrivate;
    const runs = house.things.filter(({ kind, is }) => kind === "run" && is === "made");
    const users = runs
      .filter(({ inputs }) => inputs?.includes(asset.id))
      .flatMap((run) => house.things.filter(isMadeBy(run)));
    const maker = runs.find((run) => isMadeBy(run)(asset));
    expect([at, ids(madeFrom)]).toEqual([
      at,
      visible(
        viewer,
        users.map(({ id }) => id),
      ),
    ]);
    expect([at, ids(sources)]).toEqual([at, visible(viewer, maker?.inputs ?? [])]);
  }

  it("a connection opens only for people who may use it", async () => {
    for (const viewer of house.viewers)
      for (const thing of house.things.filter(
        ({ kind, is }) => kind === "connection" && is !== "elsewhere",
      )) {
        const at = `${thing.by}'s ${thing.is} connection for ${viewer.name}`;
        const isUsable =
          thing.is === "instance" ||
          (thing.is === "own" && thing.by === viewer.person) ||
          (thing.is === "project" && isIn(viewer));
        const barred = !viewer.isActive
          ? 401
          : viewer.scopes && !hasAny(viewer.scopes, "getConnection")
            ? 403
            : undefined;
        const allowed = thing.is === "project" && viewer.role === "viewer" ? 403 : 200;
        const { status } = await viewer.caller.call("getConnection", {
          params: { connectionId: thing.id },
        });
        expect([at, status]).toEqual([at, barred ?? (isUsable ? allowed : 404)]);
      }
  });

  it("a project export holds exactly what its reader may see", async () => {
    const living = ({ is }: Thing) => is !== "trashed";
    const hasEnded = ({ is }: Thing) =>
      is === "made" || is === "reading" || is.startsWith("answer");
    for (const viewer of people()) {
      const { status, files } = await fetchAs(viewer, `/api/v1/projects/${house.projectId}/export`);
      expect([viewer.name, status]).toEqual([viewer.name, statusOf(viewer, "exportProject")]);
      if (status !== 200) continue;
      const rowsOf = (table: string): { id: string; inputs: { assetId: string }[] }[] =>
        files
          .get(`${table}.jsonl`)!
          .toString()
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line));
      for (const [table, kind, isIn] of [
        ["conversations", "conversation", living],
        ["messages", "message", living],
        ["assets", "asset", living],
        ["runs", "run", hasEnded],
      ] as const) {
        const expected = ids(
          house.things.filter((thing) => thing.kind === kind && isIn(thing) && sees(viewer, thing)),
        );
        expect([viewer.name, table, ids(rowsOf(table))]).toEqual([viewer.name, table, expected]);
      }
      const named = rowsOf("runs").flatMap(({ inputs }) => inputs.map(({ assetId }) => assetId));
      expect([viewer.name, [...new Set(named)].sort()]).toEqual([
        viewer.name,
        visible(viewer, named),
      ]);
      expect([viewer.name, leaksIn([...files.values()].join("\n"), viewer)]).toEqual([
        viewer.name,
        [],
      ]);
    }
  });

  it("a zip of a selection holds the named files, and refuses one that its reader may not see", async () => {
    const assets = house.things.filter(({ kind }) => kind === "asset");
    const path = `/api/v1/assets/archive?projectId=${house.projectId}`;
    const byAddress = (viewer: Viewer, things: readonly Pick<Asset, "id">[]) =>
      fetchAs(viewer, `${path}&ids=${ids(things)}`);
    const byForm = (viewer: Viewer, things: readonly Pick<Asset, "id">[]) =>
      fetchAs(viewer, path, { json: JSON.stringify({ ids: ids(things) }) });
    for (const viewer of people()) {
      for (const fetchZip of [byAddress, byForm]) {
        const door = statusOf(viewer, "downloadAssets");
        for (const hidden of assets.filter((thing) => !sees(viewer, thing))) {
          const { status, type } = await fetchZip(viewer, [house.source, hidden]);
          expect([viewer.name, hidden.is, status, type]).toEqual([
            viewer.name,
            hidden.is,
            door === 200 ? 404 : door,
            // A browser shows the refusal of a form in a frame, and so must not save it.
            fetchZip === byForm ? "application/json" : "application/problem+json",
          ]);
        }
        if (door !== 200) continue;
        const seen = assets.filter((thing) => sees(viewer, thing));
        const { files } = await fetchZip(viewer, seen);
        expect([viewer.name, files.size, leaksIn([...files.values()].join("\n"), viewer)]).toEqual([
          viewer.name,
          2 * seen.length,
          [],
        ]);
      }
    }
  });

  it("a bulk approval counts and reaches only what the approver may see", async () => {
    const waiting = house.things.filter(({ is, by }) => is === "open" && by !== "member");
    const { editor } = house.people;
    const { status, body } = await editor.call("approveRuns", {
      body: { projectId: house.projectId, waitingFor: "restore" },
    });
    const seen = waiting.filter((thing) => !thing.isPrivate || thing.by === "editor");
    expect([status, body]).toEqual([200, { approved: seen.length }]);
    const held = await instance.store.db
      .selectFrom("run")
      .select("id")
      .where("waiting_for", "=", "restore")
      .where("project_id", "=", house.projectId)
      .execute();
    expect(ids(held)).toEqual(ids(waiting.filter((thing) => !seen.includes(thing))));
  });
});
