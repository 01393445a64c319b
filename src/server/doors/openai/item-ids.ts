/** The kinds of items in an answer: its reasoning, its text, a call. */
type ItemKind = "rs" | "msg" | "fc";
export type ItemId = { kind: ItemKind; runId: string; place: number };

/**
 * Returns the id of an item of Responses. Programs may send it in place of the item
 * (`item_reference`).
 */
export const itemIdOf = (kind: ItemKind, runId: string, place?: number): string =>
  place === undefined ? `${kind}_${runId}` : `${kind}_${runId}_${place}`;

const form = /^(rs|msg|fc)_([0-9a-f-]{36})(?:_(\d{1,3}))?$/;

/** @returns undefined for an id that isn't ours */
export function readItemId(id: string): ItemId | undefined {
  const [, kind, runId, place = "0"] = form.exec(id) ?? [];
  return kind === undefined || runId === undefined
    ? undefined
    : { kind: kind as ItemKind, runId, place: Number(place) };
}
