import { code, mermaid, table } from "./markdown.ts";
import type { ColumnFacts, TableFacts } from "./read-schema.ts";
import { tableWords } from "./tables/index.ts";
import { type Area, areas, type ColumnWords, type TableName } from "./tables/words.ts";

type Schema = Record<string, TableFacts>;
const names = Object.keys(tableWords) as TableName[];
const areaNames = Object.keys(areas) as Area[];
const ofArea = (area: Area): TableName[] => names.filter((name) => tableWords[name].area === area);
const anchor = (title: string): string =>
  title.toLowerCase().replaceAll(",", "").replaceAll(" ", "-");

/** A table's column descriptions, by name. */
export function columnsOf(name: TableName): Record<string, ColumnWords> {
  const words: Readonly<Record<string, string | ColumnWords>> = tableWords[name].columns;
  return Object.fromEntries(
    Object.entries(words).map(([column, said]) => [
      column,
      typeof said === "string" ? { is: said } : said,
    ]),
  );
}

/** A number's unit, by its name's suffix. */
function unitOf({ name, type }: ColumnFacts): string {
  if (type === "date") return "date and time";
  if (type !== "integer") return "";
  if (/(_at|_until|_start|^at|^expires_at)$/.test(name)) return "ms since 1970, UTC";
  if (/(^|_)micros$/.test(name)) return "micro-dollar";
  if (name.endsWith("_nanos")) return "nano-dollar";
  if (/(^|_)bytes(_|$)/.test(name) || name === "received") return "byte";
  if (name.endsWith("_ms")) return "ms";
  if (/(^|_)tokens$/.test(name)) return "token";
  if (name === "width" || name === "height") return "pixel";
  return "";
}

const markWords = { personal: "personal", secret: "**secret**" } as const;

function columnTable(name: TableName, facts: TableFacts): string {
  const words = columnsOf(name);
  return table(
    ["field", "type", "unit", "key", "description", "kind"],
    facts.columns.map((column) => {
      const { is, to, mark } = words[column.name] ?? { is: "" };
      return [
        code(column.name),
        column.type + (column.nullable ? ", null" : ""),
        unitOf(column),
        [column.key && "primary", to && `→ ${code(to)}`].filter(Boolean).join(", "),
        is,
        mark ? markWords[mark] : "",
      ];
    }),
  );
}

function indexLines({ indexes, references }: TableFacts): string[] {
  return [
    ...indexes.map(
      ({ columns, unique, where }) =>
        `- ${unique ? "unique" : "index"}: ${code(columns)}${where ? ` where ${code(where)}` : ""}`,
    ),
    ...references.map(
      ({ column, table: target, onDelete }) =>
        `- enforced: ${code(column)} → ${code(target)}${onDelete === "cascade" ? ", deleted with it" : ""}`,
    ),
  ];
}

const describe = (name: TableName, facts: TableFacts): string =>
  [
    `### ${name}`,
    `${tableWords[name].is} Retention: ${lower(tableWords[name].kept)}`,
    columnTable(name, facts),
    indexLines(facts).join("\n"),
  ]
    .filter(Boolean)
    .join("\n\n");
const lower = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** The keys of the area's tables, and every relation with at least one of them. */
function diagram(area: Area, schema: Schema): string {
  const own = ofArea(area);
  const lines = own.flatMap((name) =>
    Object.entries(columnsOf(name)).flatMap(([column, { to }]) => {
      if (!to) return [];
      const facts = schema[name]?.columns.find((one) => one.name === column);
      return [`  ${to} ${facts?.nullable ? "|o" : "||"}--o{ ${name} : ${column}`];
    }),
  );
  const entities = own.map((name) => {
    const keys = (schema[name]?.columns ?? []).filter((column) => column.key);
    return `  ${name} { ${keys.map((key) => `${key.type} ${key.name} PK`).join(" ")} }`;
  });
  // One attribute per line, as the format requires.
  return mermaid([
    "erDiagram",
    "  direction LR",
    ...entities.flatMap((entity) =>
      entity
        .replace(" { ", " {\n    ")
        .replaceAll(" PK ", " PK\n    ")
        .replace(/\s+}$/, "\n  }")
        .split("\n"),
    ),
    ...lines,
  ]);
}

/** Tables about the data, from the migrated schema and its descriptions. */
export const dataTables = (schema: Schema): Record<string, () => string> => ({
  tables: () =>
    areaNames
      .map((area) =>
        [
          `### ${areas[area]}`,
          table(
            ["table", "description", "retention", "personal", "secret"],
            ofArea(area).map((name) => {
              const marked = (mark: ColumnWords["mark"]) =>
                Object.entries(columnsOf(name))
                  .filter(([, words]) => words.mark === mark)
                  .map(([column]) => code(column))
                  .join(", ");
              return [
                `[${name}](spec/data.md#${name})`,
                tableWords[name].is,
                tableWords[name].kept,
                marked("personal"),
                marked("secret"),
              ];
            }),
          ),
        ].join("\n\n"),
      )
      .join("\n\n"),
  contents: () =>
    areaNames
      .map(
        (area) =>
          `- [${areas[area]}](#${anchor(areas[area])}): ${ofArea(area)
            .map((name) => `[${name}](#${name})`)
            .join(", ")}`,
      )
      .join("\n"),
  columns: () =>
    areaNames
      .map((area) =>
        [
          `## ${areas[area]}`,
          diagram(area, schema),
          ...ofArea(area).map((name) => describe(name, schema[name] ?? missing(name))),
        ].join("\n\n"),
      )
      .join("\n\n"),
});

function missing(name: string): never {
  throw new Error(`the database has no table "${name}"`);
}
