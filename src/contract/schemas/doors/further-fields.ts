import type { z } from "zod";

/**
 * Accepts fields that a schema doesn't have, so that the answer can name them as left out. The type
 * stays the same, because nothing reads their values.
 */
export const open = <T extends z.ZodObject>(object: T): T => object.loose() as unknown as T;

/** The names of the fields that these objects' schemas have. */
export const fieldsOf = (...objects: readonly z.ZodObject[]): ReadonlySet<string> =>
  new Set(objects.flatMap(({ shape }) => Object.keys(shape)));

/** Values that mean the same as a missing field. */
const isNeutral = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === "" ||
  (Array.isArray(value) && value.length === 0);

/** Lists the fields of some objects that aren't among the known ones, each once, by its path. */
export function furtherFields(
  path: string,
  objects: readonly object[],
  known: ReadonlySet<string>,
): string[] {
  const names = objects.flatMap((one) =>
    Object.entries(one).flatMap(([name, value]) =>
      known.has(name) || isNeutral(value) ? [] : [`${path}.${name}`],
    ),
  );
  return [...new Set(names)];
}

/** Like `furtherFields`, for the objects that some fields of a list's members contain. */
export const furtherWithin = (
  path: string,
  objects: readonly object[],
  known: Readonly<Record<string, ReadonlySet<string>>>,
): string[] =>
  Object.entries(known).flatMap(([name, fields]) =>
    furtherFields(
      `${path}.${name}`,
      objects.flatMap((one): object[] => {
        const value = (one as Record<string, unknown>)[name];
        return typeof value === "object" && value !== null ? [value] : [];
      }),
      fields,
    ),
  );
