import type { Asset, Conversation, Model } from "#contract/entities.ts";
import type { RouteName } from "#contract/routes/index.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import type { searchRoutes } from "#contract/routes/search.ts";
import { type Actor, hasNeededScope } from "#domain/people/policy.ts";
import { snippetOf } from "#domain/text/snippet.ts";
import { createManual } from "#engine/tools/manual.ts";
import { findReach } from "#store/models/model-access.ts";
import { listMembers } from "#store/people/projects.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";

/** More of a kind are found on its own screen. */
const mostOfKind = 5;
const sectionsMost = 3;

/** A few of each kind, from the searches that the lists have: who may not call a list gets nothing of it here. */
export function searchHandlers({
  store,
  lists,
}: Pick<ServerDeps, "store" | "lists">): Handlers<keyof typeof searchRoutes> {
  const findInManual = createManual();
  const page = { limit: mostOfKind };

  async function findModels({ userId }: Actor, projectId: string, q: string): Promise<Model[]> {
    const { connections, reach } = await findReach(store.read, { userId, projectId });
    const usable = connections.filter(({ status }) => status !== "disabled").map(({ id }) => id);
    const filter = { userId, reach, connectionIds: usable, search: q, ...page };
    return (await lists.listModels(filter)).models;
  }

  return {
    async search({ actor, query: { projectId, q } }) {
      const { userId } = actor;
      const as = <T>(list: RouteName, find: () => Promise<T[]>): Promise<T[]> =>
        hasNeededScope(actor, scopesOfRoutes[list]) ? find() : Promise.resolve([]);
      const of = { projectId, userId, q, ...page };
      const [conversations, messages, assets, models, people, manual] = await Promise.all([
        as<Conversation>("listConversations", () => lists.searchTitles(of)),
        as("searchConversations", () => lists.searchMessages(of)),
        as<Asset>(
          "listAssets",
          async () => (await lists.listAssets({ ...of, trash: false })).assets,
        ),
        as<Model>("listModels", () => findModels(actor, projectId, q)),
        as("listMembers", async () => (await listMembers(store.read, projectId, of)).members),
        findInManual(q, sectionsMost),
      ]);
      return {
        conversations,
        messages: messages.map(({ conversation, messageId, parts }) => ({
          conversation,
          messageId,
          snippet: snippetOf(parts, q),
        })),
        assets,
        models,
        people: people.map(({ userId: id, name, email }) => ({ userId: id, name, email })),
        manual: manual.map(({ title, pageTitle, text }) => ({ title, pageTitle, text })),
      };
    },
  };
}
