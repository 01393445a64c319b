import { type AssetRange, assetRanges, parseRange } from "#contract/filters/asset-filters.ts";
import { tasks } from "#contract/tasks.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import { t } from "../../../messages/t.ts";
import type { FilterKey, View } from "../filter.ts";
import { rangeFields } from "./filter-fields.ts";

/** Names that the filter holds as ids, as far as they are known here. */
export type FilterNames = {
  personOf: (userId: string) => string | undefined;
  connectionOf: (connectionId: string) => string | undefined;
};

/** "3 or more", "Up to 10 MB", "$0.10 to $1.00". */
export function describeRange(field: AssetRange, text: string): string {
  const { format } = rangeFields[field];
  const { from, to } = parseRange(text) ?? {};
  // Nobody thinks of a millionth of a dollar: this is all that costs anything.
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

/** The active filters, each with the names that it has in the address. */
export function describeFilter(
  filter: AssetFilter,
  view: View,
  { personOf, connectionOf }: FilterNames,
): { keys: FilterKey[]; name: string }[] {
  const { kind, pick, source, connectionId, modelId, task, createdBy, aspect, used } = filter;
  const chips: ({ keys: FilterKey[]; name: string } | undefined)[] = [
    kind && { keys: ["kind"], name: t(`library.kind.${kind}`) },
    pick && view !== "kept" ? { keys: ["pick"], name: t(`library.filter.${pick}`) } : undefined,
    source && view !== "uploads"
      ? { keys: ["source"], name: t(`library.filter.${source}`) }
      : undefined,
    task && { keys: ["task"], name: tasks[task].name },
    modelId ? { keys: ["model"], name: modelId } : undefined,
    connectionId && !modelId
      ? {
          keys: ["connection"],
          name: connectionOf(connectionId) ?? t("library.filter.connection.gone"),
        }
      : undefined,
    createdBy
      ? { keys: ["createdBy"], name: personOf(createdBy) ?? t("library.filter.person.gone") }
      : undefined,
    aspect && { keys: ["aspect"], name: t(`library.aspect.${aspect}`) },
    used && { keys: ["used"], name: t(`library.used.${used}`) },
    ...assetRanges.map((field) => {
      const range = filter[field];
      if (range === undefined) return undefined;
      const name = t("library.range.named", {
        field: t(`library.field.${field}`),
        range: describeRange(field, range),
      });
      return { keys: [field as FilterKey], name };
    }),
  ];
  return chips.filter((chip) => chip !== undefined);
}
