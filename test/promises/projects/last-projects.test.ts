import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import {
  type Caller,
  createInstance,
  type Instance,
  until,
} from "../../support/server/instance.ts";

/** Everyone has a project, even if their last two end at the same moment. */
forEachDatabase((database, create) => {
  let instance: Instance;
  let owner: Caller;
  beforeAll(async () => {
    instance = await createInstance(await create());
    owner = await instance.createPerson("owner@example.org", { role: "owner" });
  });
  afterAll(() => instance.close());

  const as = async <N extends RouteName>(who: Caller, name: N, given: object) => {
    const { status, body } = await who.call<RouteOutput<N>>(name, given as never);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const remove = (who: Caller, projectId: string, name: string) =>
    as(who, "deleteProject", { params: { projectId }, body: { name, settles: false } });
  type End = (member: Caller, project: { id: string; name: string }) => Promise<unknown>;
  const leave: End = (member, { id }) => as(member, "leaveProject", { params: { projectId: id } });
  const removeMember: End = (member, { id }) =>
    as(owner, "removeMember", { params: { projectId: id, userId: member.user.id } });
  const deleteIt: End = (_, { id, name }) => remove(owner, id, name);

  /** Keeps units that write an audit event open until both have got as far as they can. */
  async function together(acts: (() => Promise<unknown>)[]): Promise<void> {
    if (database === "sqlite") {
      await Promise.all(acts.map((act) => act()));
      return;
    }
    const ended = await instance.store.db.transaction().execute(async (tx) => {
      await sql`lock table audit_event in share mode`.execute(tx);
      const going = acts.map((act) => act());
      await until("both wait", async () => {
        const waiting = sql<{ n: string }>`select count(distinct pid) as n from pg_locks
          where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`;
        return Number((await waiting.execute(tx)).rows[0]?.n) === acts.length;
      });
      return { going };
    });
    await Promise.all(ended.going);
  }

  it.each([
    ["are left", leave, leave],
    ["remove their member", removeMember, removeMember],
    ["are deleted", deleteIt, deleteIt],
    ["are left and deleted", leave, deleteIt],
  ])("a person whose last two projects %s at once gets a new one", async (title, first, second) => {
    const member = await instance.createPerson(`${title.replaceAll(" ", "-")}@example.org`);
    const own = (await as(member, "listProjects", {})).projects[0]!;
    const projects: { id: string; name: string }[] = [];
    for (const name of ["Reeds", "Ponds"]) {
      const { project } = await as(owner, "createProject", { body: { name } });
      await instance.commit(({ tx, at }) =>
        insertMember(tx, {
          projectId: project.id,
          userId: member.user.id,
          role: "editor",
          at,
        }),
      );
      projects.push(project);
    }
    await remove(member, own.id, own.name);
    await together([() => first(member, projects[0]!), () => second(member, projects[1]!)]);
    expect((await as(member, "listProjects", {})).projects).toEqual([
      expect.objectContaining({ ownerId: member.user.id, role: "manager" }),
    ]);
  });
});
