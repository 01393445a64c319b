import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  API,
  type Checker,
  SignatureKind,
  type Type,
  TypeFlags,
  type Symbol as TypeSymbol,
} from "typescript/unstable/sync";
import { createTempFolder } from "../temp.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const deepest = 8;

/** How a value is chosen if its type leaves a choice. */
export type SampleChoice = {
  /**
   * If true, optional values are given, lists have two items, conditions are true, and unions take
   * their first member; otherwise the opposite.
   */
  isFull: boolean;
  /** The value of a string whose type doesn't restrict it. */
  text: string;
};
/** Overrides for generated values: by the type's name, or by a property's name and type. */
type GivenSamples = (name: string, property: string | undefined) => unknown;

/** Generates values of a type, as far as the type determines them. */
function createSampler(checker: Checker, given: GivenSamples, choice: SampleChoice) {
  const made = new Map<number, unknown>();
  const nameOf = (type: Type): string =>
    type.getAliasSymbol()?.name ?? type.getSymbol()?.name ?? checker.typeToString(type);

  function ofUnion(types: readonly Type[], at: number, property?: string): unknown {
    const isNothing = ({ flags }: Type) => (flags & (TypeFlags.Nullable | TypeFlags.Void)) !== 0;
    const nothing = types.find(isNothing);
    if (nothing && !choice.isFull) return nothing.flags & TypeFlags.Null ? null : undefined;
    const one = types.filter((type) => !isNothing(type)).at(choice.isFull ? 0 : -1);
    return one && sample(one, at, property);
  }

  function ofFunction(type: Type, at: number): unknown {
    const [signature] = checker.getSignaturesOfType(type, SignatureKind.Call);
    const result = signature && checker.getReturnTypeOfSignature(signature);
    return () => (result ? sample(result, at + 1) : undefined);
  }

  function ofReference(type: Type, at: number): unknown {
    const inner = () => checker.getTypeArguments(type as never).map((part) => sample(part, at + 1));
    if (checker.isTupleType(type)) return inner();
    if (checker.isArrayType(type)) return choice.isFull ? [...inner(), ...inner()] : inner();
    switch (type.getSymbol()?.name) {
      case "Promise":
        return Promise.resolve(inner()[0]);
      case "Set":
      case "ReadonlySet":
        return new Set(inner());
      case "Map":
      case "ReadonlyMap":
        return new Map([inner() as [unknown, unknown]]);
      case "Iterable":
      case "AsyncIterable":
        return inner().slice(0, 1);
      case "Uint8Array":
      case "Buffer":
        return Buffer.from("1");
      case "Date":
        return new Date(0);
      default:
        return undefined;
    }
  }

  function ofObject(type: Type, at: number): unknown {
    if (checker.getSignaturesOfType(type, SignatureKind.Call).length > 0)
      return ofFunction(type, at);
    const known = ofReference(type, at);
    if (known !== undefined) return known;
    const properties = checker.getPropertiesOfType(type);
    const index = checker.getIndexInfosOfType(type)[0];
    if (properties.length === 0 && index) return { [choice.text]: sample(index.valueType, at + 1) };
    const entries = properties.map(({ name }, i) => {
      const property = checker.getTypeOfSymbol(properties[i] as TypeSymbol);
      return [name, property && sample(property, at + 1, name)] as const;
    });
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }

  function sample(type: Type, at = 0, property?: string): unknown {
    const own = given(nameOf(type), property);
    if (own !== undefined) return own;
    if (at > deepest) return undefined;
    const { flags } = type;
    if (type.isUnionType()) return ofUnion(type.getTypes() ?? [], at, property);
    if (type.isLiteralType()) return (type as { value?: unknown }).value;
    // Ids differ, because otherwise a row would be its own parent.
    if (flags & TypeFlags.StringLike)
      return property?.match(/(^|_)id$|Id$/) ? property : choice.text;
    if (flags & TypeFlags.NumberLike) return 1;
    if (flags & TypeFlags.BooleanLike) return choice.isFull;
    if (flags & TypeFlags.Null) return null;
    if (flags & (TypeFlags.Undefined | TypeFlags.Void | TypeFlags.Never)) return undefined;
    if (flags & TypeFlags.TypeParameter) {
      const bound = checker.getBaseConstraintOfType(type);
      return bound && sample(bound, at + 1, property);
    }
    if (!(flags & (TypeFlags.Object | TypeFlags.Intersection))) return {};
    // Ends the recursion of a type within itself.
    if (!made.has(type.id)) {
      made.set(type.id, undefined);
      made.set(type.id, ofObject(type, at));
    }
    return made.get(type.id);
  }
  return sample;
}

/** The types of source files, read by the compiler in a separate process. */
export function openTypes(files: readonly string[]) {
  const config = join(createTempFolder("types"), "tsconfig.json");
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, "tsconfig.json"), files, include: [] }),
  );
  const api = new API({ cwd: root });
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (!project) throw new Error("the compiler does not open the project of these files");
  const { checker, program } = project;

  const modules = new Map<string, readonly TypeSymbol[]>();
  function exportOf(file: string, name: string): TypeSymbol | undefined {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} is no module`);
    const all = modules.get(file) ?? checker.getExportsOfModule(module);
    modules.set(file, all);
    return all.find((one) => one.name === name);
  }

  return {
    /**
     * A function that generates arguments for an exported function; undefined if the name isn't
     * one.
     */
    argumentsBy(given: GivenSamples, choice: SampleChoice) {
      const sample = createSampler(checker, given, choice);
      return (file: string, name: string): unknown[] | undefined => {
        const found = exportOf(file, name);
        const type = found && checker.getTypeOfSymbol(found);
        const [signature] = type ? checker.getSignaturesOfType(type, SignatureKind.Call) : [];
        return signature?.parameters.map((_, i) => {
          const parameter = checker.getParameterType(signature, i);
          return parameter && sample(parameter);
        });
      };
    },
    /** The columns of every table of an exported type, by name, each with a value. */
    columnsOf(file: string, name: string, choice: SampleChoice): Map<string, unknown> {
      const found = exportOf(file, name);
      if (!found) throw new Error(`${file} has no ${name}`);
      const sample = createSampler(checker, () => undefined, choice);
      const tables = sample(checker.getDeclaredTypeOfSymbol(found)) as Record<string, object>;
      return new Map(Object.values(tables).flatMap((columns) => Object.entries(columns)));
    },
    close: () => api.close(),
  };
}
export type Types = ReturnType<typeof openTypes>;
