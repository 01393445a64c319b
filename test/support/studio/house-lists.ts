import { hasScope, type KeyScope } from "#contract/key-scopes.ts";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import {
  day,
  type House,
  heldMicros,
  type PersonName,
  type Thing,
  type ThingKind,
  type Viewer,
} from "./house.ts";

type Given = { params?: Record<string, string>; query?: Record<string, string>; body?: unknown };
/**
 * A list route's expected contents: how to read its answer, and the ids that each viewer should see
 * of everything that was created.
 */
export type List = {
  name: RouteName;
  given?: Given;
  read: (body: unknown) => unknown;
  expected: (viewer: Viewer) => unknown;
};
type ListOf<N extends RouteName> = Omit<List, "name" | "read"> & {
  name: N;
  read: (body: RouteOutput<N>) => unknown;
};
const list = <N extends RouteName>({ read, ...rest }: ListOf<N>): List => ({
  ...rest,
  read: (body) => read(body as RouteOutput<N>),
});

export const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id).sort();
const budgetsOf = ({ budgets }: { budgets: readonly { id: string }[] }) => budgets;
export const isIn = (viewer: Viewer): boolean => viewer.role !== null;
/**
 * The only rule: members see everything in their project, and private objects are seen only by
 * their author.
 */
export const sees = (viewer: Viewer, thing: Thing): boolean => {
  if (thing.isElsewhere) return thing.by === viewer.person && !viewer.scopes;
  return isIn(viewer) && (!thing.isPrivate || thing.by === viewer.person);
};
const isAdmin = ({ instanceRole }: Viewer): boolean => instanceRole !== "member";

/** The status of a request before anything is looked up. */
export function statusOf(viewer: Viewer, name: RouteName): number {
  const { permission, target }: Route = routes[name];
  if (permission === "public") return 200;
  if (!viewer.isActive || (target?.from === "key" && !viewer.scopes)) return 401;
  if (viewer.scopes && !hasAny(viewer.scopes, name)) return 403;
  if (permission === "people" || permission === "instance")
    return isAdmin(viewer) && !viewer.scopes ? 200 : 403;
  if (permission === "self" || target?.from === "key") return 200;
  if (!isIn(viewer)) return 404;
  return permission === "view" || viewer.role === "manager" ? 200 : 403;
}

export function hasAny(scopes: readonly KeyScope[], name: RouteName): boolean {
  const needed = scopesOfRoutes[name];
  return (
    needed === "any" || (needed !== "never" && needed.some((scope) => hasScope(scopes, scope)))
  );
}

export function listsOf(house: House): List[] {
  const { projectId, people, things } = house;
  const inHouse = { projectId };
  const range = { from: day, to: day };
  const of = (kind: ThingKind, which: (thing: Thing) => boolean = () => true) =>
    things.filter((thing) => thing.kind === kind && which(thing));
  const seen = (kind: ThingKind, which?: (thing: Thing) => boolean) => (viewer: Viewer) =>
    ids(of(kind, which).filter((thing) => sees(viewer, thing)));
  /** The person's own keys, and for admins everyone's; all others form one row without a name. */
  const namedKeys = (viewer: Viewer, keys: readonly Thing[]): string[] => {
    const known =
      isAdmin(viewer) && !viewer.scopes ? keys : keys.filter(({ by }) => by === viewer.person);
    return [...ids(known), ...(known.length < keys.length ? ["others"] : [])].sort();
  };
  const own = (kind: ThingKind, viewer: Viewer) => of(kind, ({ by }) => by === viewer.person);
  const count = (viewer: Viewer, which: (thing: Thing) => boolean) =>
    of("asset", which).filter((thing) => sees(viewer, thing)).length;
  const living = ({ is }: Thing) => is !== "trashed";
  const conversations = (is: string[], query: Record<string, string>): List =>
    list({
      name: "listConversations",
      given: { query: { ...inHouse, ...query } },
      read: ({ conversations }) => ids(conversations),
      expected: seen("conversation", (thing) => is.includes(thing.is)),
    });
  const runs = (state: string, which: (thing: Thing) => boolean): List =>
    list({
      name: "listRuns",
      given: { query: { ...inHouse, state, limit: "7" } },
      read: ({ runs }) => ids(runs),
      expected: seen("run", which),
    });
  const assets = (query: Record<string, string>, which: (thing: Thing) => boolean): List[] => [
    list({
      name: "listAssets",
      given: { query: { ...inHouse, ...query, limit: "5" } },
      read: ({ assets }) => ids(assets),
      expected: seen("asset", which),
    }),
    list({
      name: "layoutAssets",
      given: { query: { ...inHouse, ...query } },
      read: ({ count, ratios, times, groups }) => [
        count,
        Buffer.from(ratios, "base64").length / 2,
        // Days are those of a gallery sorted by date.
        query.sort ? count : [...times, ...groups].reduce((sum, { count }) => sum + count, 0),
      ],
      expected: (viewer) => Array(3).fill(count(viewer, which)),
    }),
  ];
  const isOpen = ({ is }: Thing) => is === "open" || is.startsWith("asks");
  const isUnknown = ({ is }: Thing) => is === "unconfirmed";
  const projectsOf = (viewer: Viewer): string[] => {
    if (viewer.scopes)
      return [
        isIn(viewer)
          ? projectId
          : viewer.person === "owner"
            ? house.second
            : people[viewer.person].projectId,
      ];
    const own = [
      people[viewer.person].projectId,
      ...(viewer.person === "owner" ? [house.second] : []),
    ];
    return [...new Set([...own, ...(isIn(viewer) ? [projectId] : [])])].sort();
  };
  const usageOf = (among: (by: PersonName) => boolean) =>
    (Object.keys(people) as PersonName[])
      .flatMap((by, i) => (among(by) ? 10 ** i : []))
      .reduce((a, b) => a + b, 0);
  const spentIn = (projects: string[]) =>
    usageOf((by) =>
      projects.includes(by === "admin" || by === "member" ? people[by].projectId : projectId),
    );
  const everyone = Object.values(people).map(({ user }) => user);
  const connections = (which: (thing: Thing, viewer: Viewer) => boolean) => (viewer: Viewer) =>
    ids(of("connection", (thing) => which(thing, viewer)));
  const usable = (thing: Thing, viewer: Viewer) =>
    thing.is === "instance" ||
    (thing.is === "project" && isIn(viewer)) ||
    (thing.is === "own" && thing.by === viewer.person);

  /**
   * A search for an object's mark: the matches in the project, limited to the lists that the viewer
   * may read.
   */
  const search = ({ mark }: Thing): List =>
    list({
      name: "search",
      given: { query: { ...inHouse, q: mark } },
      read: ({ conversations, messages, assets }) =>
        [
          ...ids(conversations),
          ...messages.map(({ messageId }) => messageId),
          ...ids(assets),
        ].sort(),
      expected: (viewer) =>
        (
          [
            ["conversation", "listConversations"],
            ["message", "searchConversations"],
            ["asset", "listAssets"],
          ] as const
        )
          .flatMap(([kind, name]) =>
            !viewer.scopes || hasAny(viewer.scopes, name)
              ? seen(kind, (thing) => thing.mark === mark && living(thing))(viewer)
              : [],
          )
          .sort(),
    });

  /** A search by name: the collection that all members see, and people. */
  const searchNames = (q: string, expected: List["expected"]): List =>
    list({
      name: "search",
      given: { query: { ...inHouse, q } },
      read: ({ collections, wordLists, people: found }) =>
        [
          ...ids(collections),
          ...wordLists.map(({ name }) => name),
          ...found.map(({ userId }) => userId),
        ].sort(),
      expected,
    });
  /** Without a title, a comparison is found by its result's prompt. */
  const seesResult = (viewer: Viewer, { mark }: Thing) =>
    of("asset", (asset) => asset.mark === mark).some((asset) => sees(viewer, asset));
  const mayList = ({ scopes }: Viewer, name: RouteName) => !scopes || hasAny(scopes, name);

  return [
    searchNames("Faro", (viewer) =>
      mayList(viewer, "listCollections") ? [house.collection.id] : [],
    ),
    ...of("wordList").map((thing) =>
      searchNames(thing.mark, (viewer) =>
        sees(viewer, thing) && mayList(viewer, "listWordLists") ? [thing.mark] : [],
      ),
    ),
    // Only admins find a person outside of the project, and keys find none.
    searchNames(people.member.user.name, (viewer) =>
      isAdmin(viewer) && !viewer.scopes ? [people.member.user.id] : [],
    ),
    ...of("comparison").map((thing) =>
      list({
        name: "search",
        given: { query: { ...inHouse, q: thing.mark } },
        read: ({ comparisons }) => ids(comparisons),
        expected: (viewer) =>
          sees(viewer, thing) &&
          thing.is !== "trashed" &&
          (thing.is !== "untitled" || seesResult(viewer, thing)) &&
          mayList(viewer, "listComparisons")
            ? [thing.id]
            : [],
      }),
    ),
    ...[true, false].flatMap((isPrivate) =>
      (["conversation", "asset"] as const).flatMap((kind) =>
        of(kind, (thing) => thing.isPrivate === isPrivate)
          .slice(0, 6)
          .map(search),
      ),
    ),
    ...["compared", "trashed"].map((is) =>
      list({
        name: "listComparisons",
        given: { query: { ...inHouse, trash: String(is === "trashed"), limit: "2" } },
        read: ({ comparisons }) => ids(comparisons),
        expected: seen("comparison", (thing) => living(thing) === (is === "compared")),
      }),
    ),
    conversations(["plain", "pinned"], { limit: "2" }),
    conversations(["archived"], { archived: "true", limit: "2" }),
    // Only the author sees their trash, including shared conversations.
    list({
      name: "listConversations",
      given: { query: { ...inHouse, trash: "true", limit: "1" } },
      read: ({ conversations }) => ids(conversations),
      expected: (viewer) =>
        seen("conversation", ({ is, by }) => is === "trashed" && by === viewer.person)(viewer),
    }),
    list({
      name: "searchConversations",
      given: { query: { ...inHouse, q: "harbor", limit: "100" } },
      read: ({ hits }) => hits.map(({ messageId }) => messageId).sort(),
      expected: seen("message", living),
    }),
    list({
      name: "listReadings",
      given: { params: { messageId: house.message.id } },
      read: ({ runs, assets }) => [ids(runs), ids(assets)],
      expected: (viewer) => [
        seen("run", ({ is }) => is === "reading")(viewer),
        seen("asset", ({ is }) => is === "reading")(viewer),
      ],
    }),
    runs("all", () => true),
    runs("open", (thing) => isOpen(thing) || isUnknown(thing)),
    runs("waiting", isOpen),
    runs("unconfirmed", isUnknown),
    runs("ended", (thing) => !isOpen(thing) && !isUnknown(thing)),
    list({
      name: "listBatches",
      given: { query: { ...inHouse, limit: "2" } },
      read: ({ batches }) => [
        ids(batches),
        ids(batches.flatMap(({ runs }) => runs)),
        ids(batches.flatMap(({ assets }) => assets)),
      ],
      expected: (viewer) => [
        seen("batch")(viewer),
        seen("run", ({ is }) => is === "made")(viewer),
        seen("asset", ({ is }) => is === "made")(viewer),
      ],
    }),
    ...assets({}, living),
    ...assets({ trash: "true" }, (thing) => !living(thing)),
    ...assets({ pick: "kept" }, ({ is }) => is === "kept"),
    ...assets({ source: "uploaded" }, ({ is }) => is === "kept"),
    ...assets({ q: "harbor" }, living),
    ...assets({ q: "harbor", rating: "0.." }, living),
    ...assets({ sort: "bytes", order: "asc" }, living),
    ...assets(
      { createdBy: people.editor.user.id },
      (thing) => living(thing) && thing.by === "editor",
    ),
    ...of("tag", ({ by }) => by === "editor").flatMap((tag) =>
      [{ tags: tag.id } as Record<string, string>, { q: tag.mark }].flatMap((query) =>
        assets(
          query,
          (thing) =>
            thing.is === "kept" && thing.by === "editor" && thing.isPrivate === tag.isPrivate,
        ),
      ),
    ),
    list({
      name: "listWordLists",
      given: { params: inHouse, query: { limit: "2" } },
      read: ({ lists }) => lists.map(({ name }) => name).sort(),
      expected: (viewer) =>
        of("wordList", (thing) => sees(viewer, thing))
          .map(({ mark }) => mark)
          .sort(),
    }),
    list({
      name: "listTags",
      given: { query: { ...inHouse, limit: "3" } },
      read: ({ tags }) => [ids(tags), tags.every(({ count }) => count === 1)],
      expected: (viewer) => [seen("tag")(viewer), true],
    }),
    list({
      name: "listTags",
      given: { query: { ...inHouse, q: "mark" } },
      read: ({ tags }) => ids(tags),
      expected: seen("tag"),
    }),
    list({
      name: "countTags",
      given: { body: { ...inHouse, filter: {} } },
      read: ({ assets, tags }) => [assets, ids(tags)],
      expected: (viewer) => [count(viewer, living), seen("tag")(viewer)],
    }),
    list({
      name: "countTags",
      given: { body: { ...inHouse, ids: ids(of("asset", ({ is }) => is === "kept")) } },
      read: ({ assets, tags }) => [assets, ids(tags)],
      expected: (viewer) => [count(viewer, ({ is }) => is === "kept"), seen("tag")(viewer)],
    }),
    ...assets(
      { collectionId: house.collection.id, sort: "position" },
      ({ is, isElsewhere }) => is === "kept" && !isElsewhere,
    ),
    list({
      name: "listCollections",
      given: { query: inHouse },
      read: ({ collections }) => collections.map((one) => one.count),
      expected: (viewer) => [count(viewer, ({ is }) => is === "kept")],
    }),
    list({
      name: "getCollection",
      given: { params: { collectionId: house.collection.id } },
      read: ({ collection }) => collection.count,
      expected: (viewer) => count(viewer, ({ is }) => is === "kept"),
    }),
    list({
      name: "countAssets",
      given: { query: inHouse },
      read: (counts) => counts,
      expected: (viewer) => ({
        all: count(viewer, living),
        kept: count(viewer, ({ is }) => is === "kept"),
        uploads: count(viewer, ({ is }) => is === "kept"),
        trash: count(viewer, (thing) => !living(thing)),
      }),
    }),
    list({
      name: "countAssetModels",
      given: { query: inHouse },
      read: ({ models }) => models.reduce((sum, { count }) => sum + count, 0),
      // Those that a run made.
      expected: (viewer) =>
        count(viewer, ({ is }) => is === "made" || is === "reading" || is === "moved in"),
    }),
    list({
      name: "listWaiting",
      given: { query: { limit: "2" } },
      read: ({ waiting }) => waiting.map(({ runId }) => runId).sort(),
      // People who approve spending see that someone asks, and for how much: private runs too,
      // without their content.
      expected: (viewer) =>
        ids([
          ...of(
            "run",
            (thing) =>
              thing.is === "asks a manager" &&
              (thing.isElsewhere ? sees(viewer, thing) : viewer.role === "manager"),
          ),
          ...(isAdmin(viewer) && !viewer.scopes
            ? of("run", ({ is }) => is === "asks an admin")
            : []),
        ]),
    }),
    list({
      name: "listDeliveries",
      given: {
        params: { webhookId: of("webhook", ({ is }) => is === "house")[0]!.id },
        query: { limit: "3" },
      },
      read: ({ deliveries }) => ids(deliveries),
      expected: seen("delivery"),
    }),
    list({
      name: "listProjectWebhooks",
      given: { params: inHouse },
      read: ({ webhooks }) => webhooks.map(({ id, waiting, last }) => [id, waiting, last?.error]),
      expected: (viewer) => {
        const deliveries = of("delivery", (thing) => sees(viewer, thing));
        return [
          [
            of("webhook", ({ is }) => is === "house")[0]!.id,
            deliveries.length,
            deliveries.at(-1)?.mark,
          ],
        ];
      },
    }),
    list({
      name: "listWebhooks",
      read: ({ webhooks }) => ids(webhooks),
      expected: () => ids(of("webhook", ({ is }) => is === "instance")),
    }),
    list({
      name: "listPausedWebhooks",
      read: ({ webhooks }) => ids(webhooks),
      expected: ({ person }) => ids(of("webhook", ({ by }) => by === person)),
    }),
    list({ name: "listProjects", read: ({ projects }) => ids(projects), expected: projectsOf }),
    list({
      name: "getMe",
      read: ({ user, projects }) => [user.id, ids(projects)],
      expected: (viewer) => [people[viewer.person].user.id, projectsOf(viewer)],
    }),
    list({
      name: "listMembers",
      given: { params: inHouse, query: { limit: "2" } },
      read: ({ members }) => members.map(({ userId }) => userId).sort(),
      expected: () =>
        ids(
          ["owner", "manager", "editor", "viewer", "suspended"].map(
            (name) => people[name as PersonName].user,
          ),
        ),
    }),
    list({
      name: "listImports",
      given: { query: { limit: "2" } },
      read: ({ imports }) => ids(imports),
      expected: (viewer) => ids(own("import", viewer)),
    }),
    list({
      name: "listConnections",
      read: ({ connections }) => ids(connections),
      expected: connections((thing, viewer) => thing.is !== "project" && usable(thing, viewer)),
    }),
    list({
      name: "listProjectConnections",
      given: { params: inHouse },
      read: ({ connections }) => ids(connections),
      expected: connections(({ is }) => is === "project"),
    }),
    list({
      name: "listModels",
      given: { query: { ...inHouse, limit: "2" } },
      read: ({ models }) => models.map(({ connectionId }) => connectionId).sort(),
      expected: connections(usable),
    }),
    list({
      // Everyone in the house made something with the only shared model; used-models.test.ts checks
      // what each viewer sees.
      name: "listUsedModels",
      given: { query: inHouse },
      read: ({ models }) => models.map(({ model }) => model.connectionId),
      expected: connections(({ is }) => is === "instance"),
    }),
    list({
      name: "countModelTasks",
      given: { query: inHouse },
      read: ({ tasks }) => tasks,
      expected: (viewer) => [{ task: "image", models: connections(usable)(viewer).length }],
    }),
    list({
      name: "listOpenAiModels",
      // In OpenAI's form, which the contract leaves to its own page.
      read: (body) =>
        (body as unknown as { data: { connection_id: string }[] }).data
          .map((model) => model.connection_id)
          .sort(),
      expected: connections(usable),
    }),
    list({
      name: "listBudgets",
      read: ({ budgets }) => ids(budgets),
      expected: (viewer) => {
        const reached = projectsOf(viewer);
        return ids([
          ...own("budget", viewer).filter(({ is }) => is === "user"),
          ...of(
            "budget",
            ({ is, by }) => is === "project" && reached.includes(people[by].projectId),
          ),
          ...of("budget", ({ is }) => is === "instance" && isAdmin(viewer) && !viewer.scopes),
        ]);
      },
    }),
    list({
      name: "listInstanceBudgets",
      read: ({ budgets }) => ids(budgets),
      expected: () => ids(of("budget", ({ is }) => is === "instance")),
    }),
    list({
      name: "listPayers",
      given: { query: { scope: "user", limit: "2" } },
      read: ({ payers, count }) => [ids(payers), ids(payers.flatMap(budgetsOf)), count],
      expected: () => [
        ids(everyone),
        ids(of("budget", ({ is }) => is === "user")),
        everyone.length,
      ],
    }),
    list({
      name: "listPayers",
      given: { query: { scope: "project", limit: "2" } },
      read: ({ payers, count }) => [payers.length, ids(payers.flatMap(budgetsOf)), count],
      expected: () => [
        everyone.length + 1,
        ids(of("budget", ({ is }) => is === "project")),
        everyone.length + 1,
      ],
    }),
    list({
      name: "getUsage",
      given: { query: range },
      read: ({ total, projects, keys, held, unconfirmed }) => [
        total.micros,
        ids(projects),
        ids(keys),
        held,
        unconfirmed,
      ],
      expected: (viewer) => {
        const reached = projectsOf(viewer);
        const ofReached = (thing: Thing) =>
          reached.includes(thing.isElsewhere ? people[thing.by].projectId : projectId);
        const held = (which: (thing: Thing) => boolean) => {
          const runs = of("run", (thing) => which(thing) && ofReached(thing)).length;
          return { runs, micros: runs * heldMicros, unpricedRuns: 0 };
        };
        return [
          spentIn(reached),
          reached.filter((id) => spentIn([id]) > 0),
          namedKeys(viewer, of("key", ofReached)),
          held((thing) => isOpen(thing) || isUnknown(thing)),
          held(isUnknown),
        ];
      },
    }),
    list({
      name: "getInstanceUsage",
      given: { query: range },
      read: ({ total, keys }) => [total.micros, ids(keys)],
      expected: () => [usageOf(() => true), ids(of("key"))],
    }),
    list({
      name: "listPeople",
      given: { query: { limit: "2" } },
      read: ({ people }) => ids(people),
      expected: () => ids(everyone),
    }),
    list({
      name: "getAccess",
      read: ({ connections }) => ids(connections),
      expected: connections(({ is }) => is === "instance"),
    }),
    list({
      name: "getModelUsers",
      given: { query: { connectionId: of("connection", ({ is }) => is === "instance")[0]!.id } },
      read: ({ people, projects }) => [people, projects],
      expected: () => [[], []],
    }),
    list({
      name: "listModelAccess",
      read: ({ models }) => models.map(({ connectionId }) => connectionId),
      expected: connections(({ is }) => is === "instance"),
    }),
    list({ name: "listAliases", read: ({ aliases }) => aliases, expected: () => [] }),
    list({
      name: "listKeys",
      read: ({ keys }) => keys.length,
      expected: (viewer) =>
        house.viewers.filter(({ scopes, person }) => scopes && person === viewer.person).length,
    }),
    list({
      name: "listAllKeys",
      read: ({ keys }) => keys.length,
      expected: () => house.viewers.filter(({ scopes }) => scopes).length,
    }),
    list({ name: "listAudit", read: ({ events }) => events.length > 0, expected: () => true }),
    list({ name: "getStorageUse", read: ({ stored }) => stored.files > 0, expected: () => true }),
    list({
      name: "getHealth",
      read: ({ connections }) => connections.failing.length,
      expected: () => 0,
    }),
    list({ name: "listSessions", read: ({ sessions }) => sessions.length, expected: () => 1 }),
  ];
}
