import type { Asset, Conversation, Model } from "#contract/entities.ts";
import type { RouteName } from "#contract/routes/index.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import type { searchRoutes } from "#contract/routes/search.ts";
import { type Actor, decide, hasNeededScope } from "#domain/people/policy.ts";
import { foldWords } from "#domain/text/search-words.ts";
import { snippetOf } from "#domain/text/snippet.ts";
import { createManual } from "#engine/tools/manual.ts";
import { searchCollections } from "#store/content/collections.ts";
import { findTagsByWords } from "#store/content/tags.ts";
import { searchWordLists } from "#store/content/word-lists.ts";
import { findReach } from "#store/models/model-access.ts";
import { listPeople } from "#store/people/people.ts";
import { listMembers } from "#store/people/projects.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";

/** More results of a kind are found on its own screen. */
const mostOfKind = 5;
const maxSections = 3;

/**
 * Returns a few results of each kind, from the searches behind the lists. A list that the caller
 * may not read contributes nothing.
 */
export function searchHandlers({
  store,
  lists,
}: Pick<ServerDeps, "store" | "lists">): Handlers<keyof typeof searchRoutes> {
  const findInManual = createManual();
  const page = { limit: mostOfKind };

  /** Finds what the library's own search finds, which includes the names of tags. */
  async function findAssets(of: { projectId: string; userId: string; q: string }) {
    const tagged = await findTagsByWords(store.read, of.projectId, foldWords(of.q));
    return lists.searchAssets({ ...of, ...page, trash: false }, tagged);
  }

  async function findModels({ userId }: Actor, projectId: string, q: string): Promise<Model[]> {
    const { connections, reach } = await findReach(store.read, { userId, projectId });
    const usable = connections.filter(({ status }) => status !== "disabled").map(({ id }) => id);
    const filter = { userId, reach, connectionIds: usable, search: q, ...page };
    return (await lists.listModels(filter)).models;
  }

  /**
   * Finds members of the project, and for admins also other people of this server, after the
   * members.
   */
  async function findPeople(actor: Actor, projectId: string, q: string) {
    const { members } = await listMembers(store.read, projectId, { q, ...page });
    const found = members.map((member) => ({ ...member, isMember: true }));
    const left = mostOfKind - found.length;
    if (left === 0 || decide(actor, "people") !== "allowed") return found;
    const known = new Set(found.map(({ userId }) => userId));
    const { people } = await listPeople(store.read, { q, ...page });
    const others = people
      .filter(({ id }) => !known.has(id))
      .map(({ id: userId, name, email }) => ({ userId, name, email, isMember: false }));
    return [...found, ...others.slice(0, left)];
  }

  return {
    async search({ actor, query: { projectId, q } }) {
      const { userId } = actor;
      const as = <T>(list: RouteName, find: () => Promise<T[]>): Promise<T[]> =>
        hasNeededScope(actor, scopesOfRoutes[list]) ? find() : Promise.resolve([]);
      const of = { projectId, userId, q, ...page };
      const [
        conversations,
        messages,
        assets,
        collections,
        comparisons,
        wordLists,
        models,
        people,
        manual,
      ] = await Promise.all([
        as<Conversation>("listConversations", () => lists.searchTitles(of)),
        as("searchConversations", () => lists.searchMessages(of)),
        as<Asset>("listAssets", () => findAssets({ projectId, userId, q })),
        as("listCollections", () => searchCollections(store.read, of)),
        as("listComparisons", () => lists.searchComparisons(of)),
        as("listWordLists", () => searchWordLists(store.read, of)),
        as<Model>("listModels", () => findModels(actor, projectId, q)),
        as("listMembers", () => findPeople(actor, projectId, q)),
        findInManual(q, maxSections),
      ]);
      return {
        conversations,
        messages: messages.map(({ conversation, messageId, parts }) => ({
          conversation,
          messageId,
          snippet: snippetOf(parts, q),
        })),
        assets,
        collections: collections.map(({ id, kind, name }) => ({ id, kind, name })),
        comparisons,
        wordLists: wordLists.map(({ name, count }) => ({ name, count })),
        models,
        people: people.map(({ userId: id, name, email, isMember }) => ({
          userId: id,
          name,
          email,
          isMember,
        })),
        manual: manual.map(({ title, pageTitle, text }) => ({ title, pageTitle, text })),
      };
    },
  };
}
