import { limits } from "#contract/limits.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import type { FilterChange } from "../filter.ts";

export const tagsOf = ({ tags }: AssetFilter): string[] => tags?.split(",") ?? [];

/** Adds a tag to the filter or takes it away; the oldest makes room where there are too many. */
export function toggleTag(filter: AssetFilter, tagId: string): FilterChange {
  const before = tagsOf(filter);
  const after = before.includes(tagId)
    ? before.filter((id) => id !== tagId)
    : [...before, tagId].slice(-limits.tagsPerFilter);
  return {
    tags: after.join() || null,
    // Of one tag there is nothing to choose.
    ...(after.length < 2 && { tagMatch: null }),
  };
}
