/** The conditions under which a connection's form shows a field. */
export type ConditionalField = {
  name: string;
  choices?: readonly string[] | undefined;
  when?: { field: string; is: readonly string[] } | undefined;
};

/**
 * The fields that are asked for, given what the choices hold. A choice that was not made, or that is itself not asked for, is
 * its first.
 */
export function fieldsAskedFor<Field extends ConditionalField>(
  fields: readonly Field[],
  heldBy: (name: string) => unknown,
): Field[] {
  return fields.filter(({ when }) => {
    if (!when) return true;
    const value = heldBy(when.field);
    const chosen =
      typeof value === "string" && value !== ""
        ? value
        : fields.find(({ name }) => name === when.field)?.choices?.[0];
    return chosen !== undefined && when.is.includes(chosen);
  });
}
