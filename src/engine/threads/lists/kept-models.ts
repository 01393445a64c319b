import type { Reader } from "#store/database/store.ts";
import type { Asking } from "#store/models/model-access.ts";
import { findNamedFrom, type NamedFrom } from "#store/models/named-models.ts";

/** 10,000 models take 1.7 MB, and most people of an instance share a list. */
const maxAnswers = 8;

/**
 * Caches serialized lists of models. The key consists of the rights that each request reads and of
 * the version that every write of models increments in its own unit, so no list is stale, whichever
 * server wrote.
 */
export function createKeptModels(
  read: Reader,
  write: (from: NamedFrom) => Promise<Uint8Array<ArrayBuffer>>,
) {
  /** By the facts they were serialized from, ordered by last use. */
  const answers = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  return async (asking: Asking): Promise<Uint8Array<ArrayBuffer>> => {
    const from = await findNamedFrom(read, asking);
    const key = JSON.stringify(from);
    const answer = answers.get(key) ?? write(from);
    answers.delete(key);
    if (answers.size >= maxAnswers) answers.delete(answers.keys().next().value!);
    answers.set(key, answer);
    try {
      return await answer;
    } catch (error) {
      answers.delete(key);
      throw error;
    }
  };
}
