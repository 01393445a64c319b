import { type AssetRange, assetRanges, parseRange } from "#contract/filters/asset-filters.ts";
import { runStateText } from "#contract/run-states.ts";
import { tasks } from "#contract/tasks.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import { t } from "../../../messages/t.ts";
import type { FilterChange, FilterKey, View } from "../filter.ts";
import { rangeFields } from "./filter-fields.ts";
import { tagsOf, toggleTag } from "./tags-of-filter.ts";

/** Names for the ids in the filter, undefined for those that are gone. */
export type FilterNames = {
  personOf: (userId: string) => string | undefined;
  modelOf: (connectionId: string, modelId: string) => string | undefined;
  connectionOf: (connectionId: string) => string | undefined;
  collectionOf: (collectionId: string) => string | undefined;
  similarOf: (assetId: string) => string | undefined;
  tagOf: (tagId: string) => string | undefined;
};

/** "3 or more", "Up to 10 MB", "$0.10 to $1.00". */
export function describeRange(field: AssetRange, text: string): string {
  const { format } = rangeFields[field];
  const { from, to } = parseRange(text) ?? {};
  // One micro-dollar as the lower bound means everything that costs anything.
  if (field === "costMicros" && from === 1)
    return to === undefined
      ? t("library.range.paid")
      : t("library.range.paid.to", { to: format(to) });
  if (from !== undefined && to !== undefined)
    return format(from) === format(to)
      ? format(from)
      : t("library.range.both", { from: format(from), to: format(to) });
  if (to === 0) return format(0);
  if (to !== undefined) return t("library.range.to", { to: format(to) });
  return t(field === "createdAt" ? "library.range.since" : "library.range.from", {
    from: format(from ?? 0),
  });
}

/** An active filter, and the change that removes it. */
export type FilterChip = {
  key: string;
  without: FilterChange;
  name: string;
  /** Given if what it names is gone: a sentence that says so. */
  gone?: string;
};

/** A name, or what the chip says instead and the sentence behind it. */
const nameOr = (name: string | undefined, instead: string, gone: string) =>
  name === undefined ? { name: instead, gone } : { name };

/** The active filters in words. */
export function describeFilter(
  filter: AssetFilter,
  view: View,
  { personOf, modelOf, connectionOf, collectionOf, similarOf, tagOf }: FilterNames,
): FilterChip[] {
  const { kind, pick, source, connectionId, modelId, task, createdBy, aspect, used } = filter;
  const { state, similarTo, collectionId } = filter;
  const without = (...keys: FilterKey[]): FilterChange =>
    Object.fromEntries(keys.map((key) => [key, null]));
  const chips: (FilterChip | undefined)[] = [
    collectionId
      ? {
          key: "collection",
          without: { collection: null, sort: null, order: null },
          ...nameOr(
            collectionOf(collectionId),
            t("library.collection.gone"),
            t("library.collection.noLonger.text"),
          ),
        }
      : undefined,
    similarTo
      ? {
          key: "similar",
          without: without("similar"),
          ...nameOr(similarOf(similarTo), t("library.similar.gone"), t("library.gone.similar")),
        }
      : undefined,
    kind && { key: "kind", without: without("kind"), name: t(`library.kind.${kind}`) },
    pick && view !== "kept"
      ? { key: "pick", without: without("pick"), name: t(`library.filter.${pick}`) }
      : undefined,
    source && view !== "uploads"
      ? { key: "source", without: without("source"), name: t(`library.filter.${source}`) }
      : undefined,
    task && { key: "task", without: without("task"), name: tasks[task].name },
    state && { key: "state", without: without("state"), name: runStateText(state) },
    connectionId && modelId
      ? {
          key: "model",
          without: without("model"),
          ...nameOr(
            modelOf(connectionId, modelId),
            modelId,
            t("library.gone.model", { model: modelId }),
          ),
        }
      : undefined,
    connectionId && !modelId
      ? {
          key: "connection",
          without: without("connection"),
          ...nameOr(
            connectionOf(connectionId),
            t("library.filter.connection.gone"),
            t("library.gone.connection"),
          ),
        }
      : undefined,
    createdBy
      ? {
          key: "createdBy",
          without: without("createdBy"),
          ...nameOr(personOf(createdBy), t("library.filter.person.gone"), t("library.gone.person")),
        }
      : undefined,
    aspect && { key: "aspect", without: without("aspect"), name: t(`library.aspect.${aspect}`) },
    ...tagsOf(filter).map((tagId) => ({
      key: `tag ${tagId}`,
      without: toggleTag(filter, tagId),
      ...nameOr(tagOf(tagId), t("library.filter.tag.gone"), t("library.gone.tag")),
    })),
    used && { key: "used", without: without("used"), name: t(`library.used.${used}`) },
    ...assetRanges.map((field) => {
      const range = filter[field];
      if (range === undefined) return undefined;
      const name = t("library.range.named", {
        field: t(`library.field.${field}`),
        range: describeRange(field, range),
      });
      return { key: field, without: without(field), name };
    }),
  ];
  return chips.filter((chip) => chip !== undefined);
}
