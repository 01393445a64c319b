/** The conditions under which a connection's form shows a field. */
export type ConditionalField = {
  name: string;
  choices?: readonly string[] | undefined;
  when?: { field: string; is: readonly string[] } | undefined;
};

/**
 * The fields that the form shows for the current choices. A choice that isn't made, or isn't shown
 * itself, counts as its first option.
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
