import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Asset, Conversation, Run } from "#contract/entities.ts";
import { forEachEmptyDatabase } from "../../support/databases/databases.ts";
import { storedReleases, unpackBackup } from "../../support/databases/stored.ts";
import { runBottegaHere } from "../../support/server/run-command.ts";
import { fileOnServer } from "../../support/server/server-client.ts";
import { hashOf, signInAt, startCopy } from "../../support/studio/busy-studio.ts";

forEachEmptyDatabase((name, create) => {
  // Each database restores a backup made on the other, which covers both readers and both writers.
  const other = name === "sqlite" ? "postgres" : "sqlite";

  it.each(storedReleases)(
    `a backup of %s, made on ${other}, is restored whole`,
    async (release) => {
      const folder = await unpackBackup(release, other);
      const target = await create();
      copyFileSync(join(folder, "master.key"), join(target.dataFolder, "master.key"));
      const restored = await runBottegaHere(["restore", folder], target.env);
      expect(restored, restored.stderr).toMatchObject({ code: 0 });

      const server = await startCopy(target.dataFolder, target.env);
      const client = await signInAt(server, "");
      const { body: me } = await client.call<{ projects: { id: string; name: string }[] }>("getMe");
      const studio = me.projects.find((project) => project.name === "Studio")!;
      const query = { projectId: studio.id, limit: "100" };
      const { body: library } = await client.call<{ assets: Asset[] }>("listAssets", { query });
      const lighthouse = library.assets.find(({ title }) => title === "Lighthouse")!;
      expect(lighthouse).toMatchObject({ pick: "kept", rating: 4 });
      expect(hashOf(await fileOnServer(client, lighthouse.id))).toBe(lighthouse.sha256);
      const { body: talks } = await client.call<{ conversations: Conversation[] }>(
        "listConversations",
        { query },
      );
      expect(talks.conversations.map(({ title }) => title)).toContain("What is in the harbor?");
      const { body: open } = await client.call<{ runs: Run[] }>("listRuns", {
        query: { ...query, state: "unconfirmed" },
      });
      expect(open.runs.map(({ input }) => input.prompt)).toContain(
        "sent and not answered [sim:hold-reply]",
      );
    },
  );
});
