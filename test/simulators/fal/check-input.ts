import { type Components, type Schema, shared } from "./documents.ts";

/** One fault of an input, in the form of FastAPI and Pydantic. */
export type InputFault = { loc: (string | number)[]; msg: string; type: string };

/**
 * Strict: fields missing from the schema are faults, as are values outside of type, range, pattern
 * and choice.
 */
export function checkInput(input: unknown, schema: Schema, components: Components): InputFault[] {
  const all = { ...shared, ...components };
  return check(input, schema, ["body"]);

  function check(value: unknown, node: Schema, loc: (string | number)[]): InputFault[] {
    const fault = (type: string, msg: string): InputFault[] => [{ loc, msg, type }];
    if (typeof node.$ref === "string")
      return check(value, all[node.$ref.split("/").pop() ?? ""] ?? {}, loc);
    if (Array.isArray(node.allOf))
      return node.allOf.flatMap((part: Schema) => check(value, part, loc));
    if (Array.isArray(node.anyOf)) {
      const tries = node.anyOf.map((part: Schema) => check(value, part, loc));
      return tries.some((faults) => faults.length === 0) ? [] : (tries[0] ?? []);
    }
    if (value === null && (node.nullable === true || node.type === "null")) return [];
    if (Array.isArray(node.enum) && !node.enum.includes(value))
      return fault("literal_error", `Input should be one of ${node.enum.join(", ")}`);
    switch (node.type) {
      case "null":
        return fault("none_required", "Input should be None");
      case "boolean":
        return typeof value === "boolean"
          ? []
          : fault("bool_type", "Input should be a valid boolean");
      case "integer":
      case "number":
        return checkNumber(value, node, fault);
      case "string":
        return checkText(value, node, fault);
      case "array":
        if (!Array.isArray(value)) return fault("list_type", "Input should be a valid list");
        return value.flatMap((item, index) =>
          check(item, (node.items ?? {}) as Schema, [...loc, index]),
        );
      case "object":
        return checkObject(value, node, loc);
      default:
        return [];
    }
  }

  function checkObject(value: unknown, node: Schema, loc: (string | number)[]): InputFault[] {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return [{ loc, msg: "Input should be a valid dictionary", type: "model_type" }];
    const properties = (node.properties ?? {}) as Record<string, Schema>;
    const missing = ((node.required ?? []) as string[]).filter((name) => !(name in value));
    return [
      ...missing.map((name) => ({ loc: [...loc, name], msg: "Field required", type: "missing" })),
      ...Object.entries(value).flatMap(([name, inner]) => {
        const known = properties[name];
        return known
          ? check(inner, known, [...loc, name])
          : [
              {
                loc: [...loc, name],
                msg: "Extra inputs are not permitted",
                type: "extra_forbidden",
              },
            ];
      }),
    ];
  }
}

type Fault = (type: string, msg: string) => InputFault[];

function checkNumber(value: unknown, node: Schema, fault: Fault): InputFault[] {
  if (typeof value !== "number" || (node.type === "integer" && !Number.isInteger(value)))
    return fault(`${node.type}_type`, `Input should be a valid ${node.type}`);
  const { minimum, maximum } = node;
  if (
    typeof minimum === "number" &&
    (node.exclusiveMinimum === true ? value <= minimum : value < minimum)
  ) {
    return fault("greater_than_equal", `Input should be greater than or equal to ${minimum}`);
  }
  if (typeof maximum === "number" && value > maximum)
    return fault("less_than_equal", `Input should be less than or equal to ${maximum}`);
  return [];
}

function checkText(value: unknown, node: Schema, fault: Fault): InputFault[] {
  if (typeof value !== "string") return fault("string_type", "Input should be a valid string");
  const length = [...value].length;
  if (typeof node.minLength === "number" && length < node.minLength)
    return fault("string_too_short", `String should have at least ${node.minLength} characters`);
  if (typeof node.maxLength === "number" && length > node.maxLength)
    return fault("string_too_long", `String should have at most ${node.maxLength} characters`);
  if (typeof node.pattern === "string" && !new RegExp(node.pattern).test(value))
    return fault("string_pattern_mismatch", `String should match pattern '${node.pattern}'`);
  return [];
}
