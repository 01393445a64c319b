import type { Break } from "./break.ts";

/**
 * Keys limited to models, deleted chats, deleted people, members, moves, health, master keys, backups
 * and the command line.
 */
export const lately: readonly Break[] = [
  {
    rule: "A key limited to models uses no other",
    file: "src/domain/people/policy.ts",
    text: "  !models ||\n  models.some(",
    instead: "  true ||\n  models?.some(",
    test: "test/security/keys.test.ts",
    title: "a key that is limited to models lists and starts only these",
  },
  {
    rule: "A temporary chat ends a day after its last message",
    file: "src/store/content/chats/temporary-chats.ts",
    text: "[...closed, ...old]",
    instead: "[...closed, ...old.slice(old.length)]",
    test: "test/promises/chats/temporary-chats.test.ts",
    title: "is deleted a day after its last message",
  },
  {
    rule: "A deleted person's shared work is hidden before it is deleted in slices",
    file: "src/store/content/deletions/erase-person.ts",
    text: "    if (await hideShared(tx, person, most)) return true;\n",
    instead: "",
    test: "test/promises/kill/erasure-after-kill.test.ts",
    title: "kill -9 while a deleted person is erased",
  },
  {
    rule: "A moved file leaves its run in the old project",
    file: "src/store/content/moved-rows.ts",
    text: "made_in: isHome || !run ? null : run.project_id",
    instead: "made_in: null",
    test: "test/promises/server/moved-assets.test.ts",
    title: "the run, its prompt and its cost stay with the project that paid",
  },
  {
    rule: "A server's backup ends with its server",
    file: "src/commands/end-with-parent.ts",
    text: 'process.kill(process.pid, "SIGTERM")',
    instead: "undefined",
    test: "test/promises/backup/scheduled-backups.test.ts",
    title: "a server's backup ends with its server",
  },
  {
    rule: "No byte of a remote picture's original reaches a browser",
    file: "src/engine/ingest/remote-picture.ts",
    text: "bytes: await media.redraw(bytes)",
    instead: "bytes: (await media.redraw(bytes), bytes)",
    test: "test/security/remote-pictures.test.ts",
    title: "no byte of the original reaches the reader",
  },
  {
    rule: "A command whose answer is lost pays once",
    file: "src/commands/client/make.ts",
    text: "idempotencyKey: key",
    instead: "idempotencyKey: key + Math.random()",
    test: "test/promises/doors/command-run.test.ts",
    title: "a request whose answer is lost is sent again under its key",
  },
  {
    rule: "The command line spends nothing without confirmation",
    file: "src/commands/client/run-model.ts",
    text: "if (isApproved || mostMicros === 0) return;",
    instead: "if (isApproved || mostMicros !== null) return;",
    test: "test/promises/doors/command-run.test.ts",
    title: "nothing is spent without a yes",
  },
  {
    rule: "A long queue that moves raises no warning",
    file: "src/store/checks/health.ts",
    text: '.where("active.state", "in", literals(activeStates))',
    instead: '.where("active.state", "=", sql.lit("none"))',
    test: "test/promises/admin/operations.test.ts",
    title: "health warns of a queue only while its connection could start a run",
  },
  {
    rule: "The retirement of a master key from the environment is in the audit log",
    file: "src/master-keys.ts",
    text: 'if (has("rotate-master-key") && !has("retire-master-key"))',
    instead: "if (recorded.length > 9)",
    test: "test/promises/admin/rotate-key.test.ts",
    title: "a key from the environment gets its new version",
  },
  {
    rule: "A handed-over project doesn't keep a deleted person's name",
    file: "src/store/content/deletions/person-deletions.ts",
    text: '.where("name", "=", sentences.projects.ownName({ name }))',
    instead: '.where("name", "=", "")',
    test: "test/promises/server/deleted-people.test.ts",
    title: "a handed-over project loses the deleted person's name",
  },
  {
    rule: "A person who is removed from their only project gets an empty one",
    file: "src/server/routes/projects.ts",
    text: 'deps, [userId]);\n        await audit(unit.tx, me.user.id, "remove-member"',
    instead: 'deps, []);\n        await audit(unit.tx, me.user.id, "remove-member"',
    test: "test/security/projects.test.ts",
    title: "a member leaves a project, its owner doesn't",
  },
];
