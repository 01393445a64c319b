import { v7 as uuid } from "uuid";
import type { InstanceRole, ProjectRole } from "#contract/entities.ts";
import { type KeyScope, keyScopes } from "#contract/key-scopes.ts";
import { insertAsset, insertRunInputs, updateAssets } from "#store/content/assets.ts";
import { insertCollection } from "#store/content/collections.ts";
import { insertComparison, updateComparison } from "#store/content/comparisons.ts";
import {
  insertConversation,
  insertMessage,
  updateConversation,
} from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import { insertConnection } from "#store/models/connections.ts";
import { upsertModels } from "#store/models/models.ts";
import { addUsage } from "#store/money/usage-rollup.ts";
import { insertApiKey } from "#store/people/api-keys.ts";
import { updateUser } from "#store/people/people.ts";
import { insertMember } from "#store/people/projects.ts";
import { insertBatch } from "#store/runs/batches.ts";
import { insertRun, type NewRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { insertWebhookEndpoint, pauseEndpoint } from "#store/webhooks/webhooks.ts";
import {
  at,
  buildAsset,
  buildConnection,
  buildConversation,
  buildModel,
  buildRun,
} from "../databases/store-rows.ts";
import type { Caller, Instance, KeyCaller } from "../server/instance.ts";

/**
 * Everyone who has made something in the house, with their current role; none for the removed
 * member.
 */
const authors = {
  owner: "manager",
  manager: "manager",
  editor: "editor",
  viewer: "viewer",
  removed: null,
  suspended: "editor",
} as const;
type Author = keyof typeof authors;
/** The instance's admin and another member, neither of whom was ever in the house. */
const outsiders = { admin: "admin", member: "member" } as const;
export type PersonName = Author | keyof typeof outsiders;

export type ThingKind =
  | "conversation"
  | "message"
  | "comparison"
  | "run"
  | "asset"
  | "tag"
  | "wordList"
  | "batch"
  | "connection"
  | "model"
  | "delivery"
  | "import"
  | "budget"
  | "recipe"
  | "webhook"
  | "key";
/** An object made by a person. `mark` is a word that occurs only in its content. */
export type Thing = {
  id: string;
  kind: ThingKind;
  /** Its variant within its kind: "archived", "kept". */
  is: string;
  by: PersonName;
  /** Visible only to its author; otherwise to everyone in its project. */
  isPrivate: boolean;
  mark: string;
  /** In its author's own project instead of the house. */
  isElsewhere?: true;
  /** Further ids in its answer: a run's inputs, a message's conversation. */
  inputs?: string[];
};

/**
 * A person or key that reads the lists. Without a role they aren't in the house, or use a key of
 * another project.
 */
export type Viewer = {
  name: string;
  person: PersonName;
  role: ProjectRole | null;
  instanceRole: InstanceRole;
  isActive: boolean;
  scopes: readonly KeyScope[] | null;
  caller: Pick<Caller, "call">;
};

const word = (number: number): string => `mark${number.toString(36).padStart(4, "q")}x`;
export const day = "2026-11-16";
/** The amount reserved by every open run. */
export const heldMicros = 7;

/**
 * A project ("the house") with a member of each role, a removed one and a suspended one, each of
 * whom has a private and a shared object of every kind and state; and two people of the instance
 * outside of the project. Nothing runs.
 */
export async function createHouse(instance: Instance) {
  const people = {} as Record<PersonName, Caller>;
  for (const name of [...Object.keys(authors), ...Object.keys(outsiders)] as PersonName[])
    people[name] = await instance.createPerson(`${name}@example.org`, {
      role: name === "admin" ? "admin" : "member",
    });
  const { projectId } = people.owner;
  const things: Thing[] = [];
  const projectOf = (by: PersonName): string => (by in authors ? projectId : people[by].projectId);
  const add = (thing: Omit<Thing, "mark" | "id"> & { mark?: string }): Thing => {
    const whole = {
      id: uuid(),
      mark: word(things.length),
      ...(!(thing.by in authors) && { isElsewhere: true as const }),
      ...thing,
    };
    things.push(whole);
    return whole;
  };

  await instance.commit(async ({ tx }) => {
    for (const [name, role] of Object.entries(authors))
      if (name !== "owner")
        await insertMember(tx, {
          projectId,
          userId: people[name as Author].user.id,
          role: role ?? "editor",
          at,
        });
  });
  const sharedThing = add({ kind: "connection", is: "instance", by: "admin", isPrivate: false });
  const shared = await instance.commit(({ tx }) =>
    addConnection(tx, sharedThing, "instance", null),
  );
  await instance.commit(async ({ tx }) => {
    await addConnection(
      tx,
      add({ kind: "connection", is: "project", by: "owner", isPrivate: false }),
      "project",
      projectId,
    );
    await addConnection(
      tx,
      add({ kind: "connection", is: "elsewhere", by: "member", isPrivate: true }),
      "project",
      people.member.projectId,
    );
    for (const name of Object.keys(people) as PersonName[])
      await addConnection(
        tx,
        add({ kind: "connection", is: "own", by: name, isPrivate: true }),
        "user",
        people[name].user.id,
      );
  });

  /** With one model, named by its mark. */
  async function addConnection(
    tx: Tx,
    thing: Thing,
    scope: "instance" | "user" | "project",
    scopeId: string | null,
  ): Promise<string> {
    await insertConnection(
      tx,
      buildConnection({
        id: thing.id,
        slug: thing.mark,
        kind: "k",
        name: thing.mark,
        scope,
        scopeId,
      }),
    );
    await upsertModels(tx, [
      buildModel({ connectionId: thing.id, modelId: thing.mark, name: thing.mark }),
    ]);
    things.push({ ...thing, kind: "model" });
    return thing.id;
  }

  /** The source of the other objects. */
  const source = await instance.commit((unit) =>
    addAsset(unit, { is: "source", by: "owner", isPrivate: false }),
  );

  async function addAsset(
    unit: Unit,
    of: Pick<Thing, "is" | "by" | "isPrivate">,
    facts: { runId?: string; isUpload?: boolean } = {},
  ) {
    const thing = add({ kind: "asset", ...of });
    const { sha256, bytes } = await instance.deps.blobs.put(
      (async function* () {
        yield Buffer.from(thing.mark);
      })(),
    );
    await insertAsset(
      unit,
      buildAsset({
        id: thing.id,
        projectId: projectOf(of.by),
        createdBy: people[of.by].user.id,
        visibility: of.isPrivate ? "author" : "project",
        runId: facts.runId ?? null,
        outputIndex: facts.runId ? 0 : null,
        uploadId: facts.isUpload ? thing.id : null,
        title: thing.mark,
        promptText: `harbor ${thing.mark}`,
        sha256,
        bytes,
      }),
    );
    return thing;
  }

  /** On a single asset and by a single author, so it is as private as the asset. */
  async function addTag(
    unit: Unit,
    { by, isPrivate }: Pick<Thing, "by" | "isPrivate">,
    assetId: string,
  ) {
    const tag = add({ kind: "tag", is: "tag", by, isPrivate });
    const userId = people[by].user.id;
    await unit.tx
      .insertInto("tag")
      .values({
        id: tag.id,
        project_id: projectOf(by),
        name: tag.mark,
        folded: tag.mark,
        search: tag.mark,
        created_by: userId,
        created_at: at,
      })
      .execute();
    await unit.tx
      .insertInto("asset_tag")
      .values({ asset_id: assetId, tag_id: tag.id, user_id: userId, at })
      .execute();
  }

  async function addWordList({ tx }: Unit, by: PersonName) {
    const { mark } = add({ kind: "wordList", is: "word list", by, isPrivate: false });
    await tx
      .insertInto("word_list")
      .values({
        project_id: projectOf(by),
        folded: mark,
        name: mark,
        items: JSON.stringify([mark]),
        item_count: 1,
        created_by: people[by].user.id,
        created_at: at,
        updated_at: at,
      })
      .execute();
  }

  async function addRun(
    unit: Unit,
    of: Pick<Thing, "is" | "by" | "isPrivate">,
    facts: Partial<NewRun> = {},
    state = "succeeded",
  ) {
    const thing = add({ kind: "run", ...of });
    await insertRun(
      unit,
      buildRun({
        id: thing.id,
        projectId: projectOf(of.by),
        userId: people[of.by].user.id,
        connectionId: shared,
        modelId: sharedThing.mark,
        visibility: of.isPrivate ? "author" : "project",
        input: { prompt: thing.mark },
        heldMicros,
        ...facts,
      }),
    );
    const ended = state === "succeeded" ? { finished_at: at } : {};
    await unit.tx
      .updateTable("run")
      .set({ state, ...ended })
      .where("id", "=", thing.id)
      .execute();
    return thing;
  }

  async function addComparison(
    unit: Unit,
    of: Pick<Thing, "is" | "by" | "isPrivate">,
    runId: string,
  ) {
    const thing = add({ kind: "comparison", ...of });
    const entry = { runId, outputIndex: null, messageId: null };
    const comparison = await insertComparison(
      unit,
      {
        id: thing.id,
        projectId: projectOf(of.by),
        userId: people[of.by].user.id,
        visibility: of.isPrivate ? "author" : "project",
        task: "chat",
        title: thing.mark,
        blind: true,
      },
      [entry, entry],
    );
    if (of.is === "trashed") await updateComparison(unit, comparison, { trashedAt: at });
  }

  /** Of a result that became private later: the comparison itself is still shared. */
  async function addUntitledComparison(unit: Unit, result: Thing, runId: string) {
    const { by, mark } = result;
    const thing = add({ kind: "comparison", is: "untitled", by, isPrivate: false, mark });
    await insertComparison(
      unit,
      {
        id: thing.id,
        projectId: projectOf(by),
        userId: people[by].user.id,
        visibility: "project",
        task: "image",
        title: "",
        blind: true,
      },
      [{ runId, outputIndex: 0, messageId: null }],
    );
  }

  async function addConversation(unit: Unit, of: Pick<Thing, "is" | "by" | "isPrivate">) {
    const thing = add({ kind: "conversation", ...of });
    const userId = people[of.by].user.id;
    const conversation = await insertConversation(
      unit,
      buildConversation({ id: thing.id, projectId: projectOf(of.by), userId, title: thing.mark }),
    );
    const asked = await addRun(unit, { ...of, is: `answer of ${of.is}` }, { task: "chat" });
    const message = add({ kind: "message", ...of, mark: thing.mark });
    await insertMessage(unit, conversation, {
      id: message.id,
      parentId: null,
      role: "user",
      state: "complete",
      parts: [{ type: "text", text: `harbor ${message.mark}` }],
      runId: asked.id,
      continuesId: null,
    });
    await unit.tx
      .updateTable("run")
      .set({ message_id: message.id })
      .where("id", "=", asked.id)
      .execute();
    await unit.tx
      .insertInto("feedback")
      .values({
        message_id: message.id,
        user_id: userId,
        value: "up",
        reasons: "[]",
        text: thing.mark,
        at,
      })
      .execute();
    if (of.is === "plain") {
      await addComparison(unit, { ...of, is: "compared" }, asked.id);
      await addComparison(unit, { ...of, is: "trashed" }, asked.id);
    }
    const change = {
      plain: {},
      pinned: { pinned: true },
      archived: { archivedAt: at },
      trashed: { trashedAt: at },
    }[of.is];
    await updateConversation(unit, thing.id, {
      ...change,
      ...(!of.isPrivate && { visibility: "project" as const }),
    });
    return message;
  }

  let firstMessage: Thing | undefined;
  const collected: string[] = [];
  for (const by of [...(Object.keys(authors) as Author[]), "member"] as const)
    for (const isPrivate of [false, true])
      await instance.commit(async (unit) => {
        const of = { by, isPrivate };
        let ownMessage: Thing | undefined;
        for (const is of ["plain", "pinned", "archived", "trashed"]) {
          const message = await addConversation(unit, { ...of, is });
          ownMessage ??= message;
          firstMessage ??= message;
        }
        const kept = await addAsset(unit, { ...of, is: "kept" }, { isUpload: true });
        await updateAssets(unit, [kept.id], { pick: "kept" });
        await addTag(unit, of, kept.id);
        if (!isPrivate) await addWordList(unit, by);
        if (by !== "member") collected.push(kept.id);
        const trashed = await addAsset(unit, { ...of, is: "trashed" });
        await updateAssets(unit, [trashed.id], { trashedAt: at });
        const batch = add({ kind: "batch", is: "batch", ...of });
        await insertBatch(unit.tx, {
          id: batch.id,
          projectId: projectOf(by),
          kind: "one",
          task: "image",
          input: { prompt: batch.mark },
          createdBy: people[by].user.id,
          at,
        });
        const run = await addRun(unit, { ...of, is: "made" }, { batchId: batch.id });
        const made = await addAsset(unit, { ...of, is: "made" }, { runId: run.id });
        if (isPrivate) await addUntitledComparison(unit, made, run.id);
        run.inputs = by === "member" ? [kept.id] : [source.id, kept.id];
        // A file made private after a shared run had used it.
        if (!isPrivate)
          run.inputs.push(
            (await addAsset(unit, { by, isPrivate: true, is: "made private later" })).id,
          );
        await insertRunInputs(
          unit.tx,
          run.id,
          run.inputs.map((assetId, i) => ({ assetId, role: `image ${i}` })),
        );
        await addRun(unit, { ...of, is: "open" }, { waitingFor: "restore" }, "queued");
        await addRun(unit, { ...of, is: "asks a manager" }, { waitingFor: "manager" }, "queued");
        await addRun(unit, { ...of, is: "asks an admin" }, { waitingFor: "admin" }, "queued");
        await addRun(unit, { ...of, is: "unconfirmed" }, {}, "unconfirmed");
        const reading = await addRun(
          unit,
          { ...of, is: "reading" },
          { task: "speech", messageId: (by === "member" ? ownMessage : firstMessage)!.id },
        );
        await addAsset(unit, { ...of, is: "reading" }, { runId: reading.id });
      });

  const collection = await instance.commit(async (unit) => {
    const wanted = { id: uuid(), projectId, kind: "manual", name: "Faro", query: null } as const;
    const made = await insertCollection(unit, { ...wanted, createdBy: people.owner.user.id });
    for (const [i, assetId] of collected.entries())
      await unit.tx
        .insertInto("collection_item")
        .values({
          collection_id: made.id,
          asset_id: assetId,
          order_key: `k${String.fromCharCode(97 + i)}`,
          added_by: people.owner.user.id,
          added_at: at,
        })
        .execute();
    return made;
  });

  await instance.commit(async ({ tx }) => {
    for (const [is, project, by] of [
      ["house", projectId, "owner"],
      ["instance", null, "admin"],
      ["elsewhere", people.member.projectId, "member"],
    ] as const) {
      const { id } = add({ kind: "webhook", is, by, isPrivate: false });
      await insertWebhookEndpoint(tx, {
        id,
        projectId: project,
        url: "https://hooks.example.org/",
        events: ["run.succeeded"],
        sealedSecret: "sealed",
        privateAllowed: false,
        createdBy: people[by].user.id,
        at,
      });
      await pauseEndpoint(tx, id, "No delivery has succeeded.", at);
      if (is !== "house") continue;
      for (const author of Object.keys(authors) as Author[])
        for (const isPrivate of [false, true]) {
          const delivery = add({ kind: "delivery", is: "delivery", by: author, isPrivate });
          await tx
            .insertInto("webhook_out")
            .values({
              id: delivery.id,
              endpoint_id: id,
              event: "run.succeeded",
              payload: JSON.stringify({ prompt: delivery.mark }),
              attempts: 0,
              next_at: at,
              status: "waiting",
              last_error: delivery.mark,
              created_at: at,
              tried_at: null,
              took_ms: null,
              http_status: null,
              answer: null,
              only_for: isPrivate ? people[author].user.id : null,
            })
            .execute();
        }
    }
    for (const [by, person] of Object.entries(people) as [PersonName, Caller][]) {
      const key = add({ kind: "key", is: "used", by, isPrivate: false });
      await insertApiKey(tx, {
        id: key.id,
        userId: person.user.id,
        projectId: projectOf(by),
        name: key.mark,
        prefix: "bk_",
        hash: key.id,
        scopes: [],
        models: null,
        ratePerMinute: 1,
        keepsRunning: false,
        expiresAt: null,
        createdAt: at,
      });
      // Revoked: it is in no list of keys, but its usage stays in the ledger.
      await tx.updateTable("api_key").set({ revoked_at: at }).where("id", "=", key.id).execute();
      await addUsage(tx, {
        projectId: projectOf(by),
        userId: person.user.id,
        connectionId: shared,
        modelId: "m",
        apiKeyId: key.id,
        day,
        runs: 1,
        tokens: 0,
        micros: 10 ** Object.keys(people).indexOf(by),
      });
      const begun = add({ kind: "import", is: "import", by, isPrivate: true });
      await tx
        .insertInto("project_import")
        .values({
          id: begun.id,
          user_id: person.user.id,
          project_id: uuid(),
          blob_sha256: "f".repeat(64),
          bytes: 1,
          name: begun.mark,
          state: "failed",
          files_done: 0,
          files_total: 0,
          files_missing: 0,
          problem: null,
          worker_id: null,
          failures: 0,
          created_at: at,
          ended_at: at,
          cleaned_at: at,
          dismissed_at: null,
        })
        .execute();
      for (const [scope, scopeId] of [
        ["user", person.user.id],
        ["project", person.projectId],
      ] as const)
        await addBudget(tx, { scope, scopeId, by });
    }
    await addBudget(tx, { scope: "instance", scopeId: null, by: "admin" });
  });

  async function addBudget(
    tx: Tx,
    {
      scope,
      scopeId,
      by,
    }: { scope: "instance" | "user" | "project"; scopeId: string | null; by: PersonName },
  ) {
    const { id } = add({ kind: "budget", is: scope, by, isPrivate: true });
    await tx
      .insertInto("budget")
      .values({
        id,
        scope,
        scope_id: scopeId,
        period: "total",
        time_zone: "UTC",
        limit_micros: 1,
        on_limit: "warn",
        authority: "admin",
        created_by: null,
        created_at: at,
      })
      .execute();
  }

  const keys = new Map<string, KeyCaller>();
  for (const scope of keyScopes)
    keys.set(scope, await instance.createKey(people.owner, { scopes: [scope] }));
  const [ofViewer, ofAdmin] = [
    await instance.createKey(people.viewer, { projectId }),
    await instance.createKey(people.admin),
  ];
  const second = (
    await people.owner.call<{ project: { id: string } }>("createProject", {
      body: { name: "second" },
    })
  ).body.project.id;
  const elsewhere = await instance.createKey(people.owner, { projectId: second });
  // Made in the owner's other project and moved here: everyone sees the file, but only the owner
  // sees its run's prompt.
  const recipe = add({ kind: "recipe", is: "of what moved in", by: "owner", isPrivate: true });
  await instance.commit(async (unit) => {
    const run = buildRun({
      projectId: second,
      userId: people.owner.user.id,
      connectionId: shared,
      modelId: sharedThing.mark,
      input: { prompt: recipe.mark },
    });
    await insertRun(unit, run);
    await unit.tx
      .updateTable("run")
      .set({ state: "succeeded", finished_at: at })
      .where("id", "=", run.id)
      .execute();
    const moved = await addAsset(
      unit,
      { is: "moved in", by: "owner", isPrivate: false },
      { runId: run.id },
    );
    await unit.tx
      .updateTable("asset")
      .set({ made_in: second })
      .where("id", "=", moved.id)
      .execute();
  });
  await people.owner.call("removeMember", {
    params: { projectId, userId: people.removed.user.id },
  });
  await instance.commit(({ tx }) =>
    updateUser(tx, people.suspended.user.id, { status: "suspended" }),
  );

  const viewerOf = (person: PersonName, facts: Partial<Viewer> = {}): Viewer => ({
    name: person,
    person,
    role: person in authors ? authors[person as Author] : null,
    instanceRole: person === "admin" ? "admin" : "member",
    isActive: person !== "suspended",
    scopes: null,
    caller: people[person],
    ...facts,
  });
  const viewers: Viewer[] = [
    ...(Object.keys(people) as PersonName[]).map((person) => viewerOf(person)),
    ...keyScopes.map((scope) =>
      viewerOf("owner", {
        name: `the owner's key for ${scope}`,
        scopes: [scope],
        caller: keys.get(scope)!,
      }),
    ),
    viewerOf("viewer", {
      name: "the viewer's key for everything",
      scopes: keyScopes,
      caller: ofViewer,
    }),
    viewerOf("owner", {
      name: "the owner's key of another project",
      role: null,
      scopes: keyScopes,
      caller: elsewhere,
    }),
    viewerOf("admin", {
      name: "the admin's key for everything",
      scopes: keyScopes,
      caller: ofAdmin,
    }),
  ];
  return {
    ...{ instance, people, projectId, second, things, source, viewers },
    message: firstMessage!,
    collection,
  };
}
export type House = Awaited<ReturnType<typeof createHouse>>;
