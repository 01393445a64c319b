import type { Reader } from "#store/database/store.ts";
import type { Asking } from "#store/models/model-access.ts";
import { findNamedFrom, type NamedFrom } from "#store/models/named-models.ts";

/** 10,000 models are 1.7 MB; most people of an instance have the same list. */
const answersMost = 8;

/**
 * Lists of models as they were written before. What each request reads of the rights, and the version that every write of models raises in
 * its own unit, are its name: none is older than the question, whichever server wrote.
 */
export function createKeptModels(
  read: Reader,
  write: (from: NamedFrom) => Promise<Uint8Array<ArrayBuffer>>,
) {
  /** By what they were written from, the one used last behind the others. */
  const answers = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  return async (asking: Asking): Promise<Uint8Array<ArrayBuffer>> => {
    const from = await findNamedFrom(read, asking);
    const key = JSON.stringify(from);
    const answer = answers.get(key) ?? write(from);
    answers.delete(key);
    if (answers.size >= answersMost) answers.delete(answers.keys().next().value!);
    answers.set(key, answer);
    try {
      return await answer;
    } catch (error) {
      answers.delete(key);
      throw error;
    }
  };
}
