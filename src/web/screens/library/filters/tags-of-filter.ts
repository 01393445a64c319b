import { limits } from "#contract/limits.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import type { FilterChange } from "../filter.ts";

export const tagsOf = ({ tags }: AssetFilter): string[] => tags?.split(",") ?? [];

/** Adds a tag to the filter or removes it; beyond the limit, the oldest is dropped. */
export function toggleTag(filter: AssetFilter, tagId: string): FilterChange {
  const before = tagsOf(filter);
  const after = before.includes(tagId)
    ? before.filter((id) => id !== tagId)
    : [...before, tagId].slice(-limits.tagsPerFilter);
  return {
    tags: after.join() || null,
    // A single tag has nothing to match all or any of.
    ...(after.length < 2 && { tagMatch: null }),
  };
}
