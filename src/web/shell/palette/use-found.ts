import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  BookOpen,
  Boxes,
  Columns2,
  Folder,
  ListPlus,
  MessageCircle,
  Search,
  UserRound,
} from "lucide-react";
import { limits } from "#contract/limits.ts";
import { assetName, kindNames } from "../../components/asset/asset-name.ts";
import { useViewerAddress } from "../../components/viewer/viewer-address.ts";
import { toModelPath } from "../../data/model-ref.ts";
import { searchQuery } from "../../data/queries/home.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatWhen } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { useNow } from "../../ui/display/time.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import type { Entry, EntryGroup } from "./entries.ts";

export type ManualSection = { title: string; pageTitle: string; text: string };

/** The server's search results for the typed text, as rows of the palette. */
export function useFound(
  query: string,
  onRead: (section: ManualSection) => void,
): { groups: EntryGroup[]; isSearching: boolean; hasFailed: boolean } {
  const { project } = useSession();
  const navigate = useNavigate();
  const viewer = useViewerAddress();
  const now = useNow();
  const wanted = query.trim().slice(0, limits.searchCharacters);
  const asked = useDebounced(wanted);
  const { data, isFetching, isError } = useQuery(searchQuery(project.id, asked));
  const isSearching = wanted !== "" && (isFetching || asked !== wanted);
  if (!data || wanted === "")
    return { groups: [], isSearching, hasFailed: isError && wanted !== "" };
  const when = (at: number) => formatWhen(at, now);
  const open = (id: string, message?: string) =>
    void navigate({ to: "/chat/$id", params: { id }, search: message ? { message } : {} });
  const titled = new Set(data.conversations.map(({ id }) => id));
  const groups: (EntryGroup | null)[] = [
    group(
      t("palette.assets"),
      data.assets.map((asset) => ({
        id: `asset:${asset.id}`,
        title: assetName(asset),
        hint: `${t(kindNames[asset.kind])} · ${when(asset.createdAt)}`,
        asset,
        run: () => viewer.open(asset.id),
      })),
    ),
    group(t("palette.conversations"), [
      ...data.conversations.map(({ id, title, updatedAt }) => ({
        id: `conversation:${id}`,
        title: title || t("palette.untitled"),
        hint: when(updatedAt),
        icon: MessageCircle,
        run: () => open(id),
      })),
      // A conversation found by its title needs no second row for its first message.
      ...data.messages
        .filter(
          ({ conversation, snippet }) =>
            !titled.has(conversation.id) || !snippet.startsWith(conversation.title),
        )
        .map(({ conversation, messageId, snippet }) => ({
          id: `message:${messageId}`,
          title: `${conversation.title || t("palette.untitled")}: “${snippet}”`,
          hint: when(conversation.updatedAt),
          icon: MessageCircle,
          isByText: true,
          run: () => open(conversation.id, messageId),
        })),
    ]),
    group(t("palette.collections"), [
      ...data.collections.map(({ id, kind, name }) => ({
        id: `collection:${id}`,
        title: name,
        hint: t(kind === "smart" ? "palette.savedSearch" : "palette.collection"),
        icon: kind === "smart" ? Search : Folder,
        run: () => void navigate({ to: "/library", search: { collection: id } }),
      })),
      ...data.comparisons.map(({ id, title, createdAt }) => ({
        id: `comparison:${id}`,
        title,
        hint: `${t("palette.comparison")} · ${when(createdAt)}`,
        icon: Columns2,
        run: () => void navigate({ to: "/compare/$id", params: { id } }),
      })),
      ...data.wordLists.map(({ name, count }) => ({
        id: `words:${name}`,
        title: name,
        hint: t("palette.wordList", { count }),
        icon: ListPlus,
        run: () => void navigate({ to: "/create", search: { words: name } }),
      })),
    ]),
    group(
      t("palette.models"),
      data.models.map((model) => ({
        id: `model:${toModelPath(model)}`,
        title: model.name,
        hint: model.connectionName,
        icon: Boxes,
        run: () => void navigate({ to: "/models/$", params: { _splat: toModelPath(model) } }),
      })),
    ),
    group(
      t("palette.people"),
      data.people.map(({ userId, name, email, isMember }) => ({
        id: `person:${userId}`,
        title: name,
        hint: email,
        icon: UserRound,
        keywords: [email],
        run: () =>
          void (isMember
            ? navigate({ to: "/projects/$id", params: { id: project.id } })
            : navigate({
                to: "/admin/$section",
                params: { section: "people" },
                search: { q: email },
              })),
      })),
    ),
    group(
      t("palette.manual"),
      data.manual.map((section) => ({
        id: `manual:${section.pageTitle}:${section.title}`,
        title: section.title,
        ...(section.pageTitle !== section.title && { hint: section.pageTitle }),
        icon: BookOpen,
        stays: true,
        run: () => onRead(section),
      })),
    ),
  ];
  return { groups: groups.filter((one) => one !== null), isSearching, hasFailed: isError };
}

const group = (heading: string, entries: readonly Entry[]): EntryGroup | null =>
  entries.length > 0 ? { heading, entries } : null;
