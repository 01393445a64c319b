import { basename } from "node:path";
import { parseArgs } from "node:util";
import { CannotAsk } from "./api-client.ts";

const runUsage = `bottega run <connection/model>: makes something with a model of a Bottega, over its API.

  --prompt <words>        what to make, or to ask; "-" reads it from the standard input
  --input <key>=<value>   any other setting of the model; JSON where it reads as such
  --file <field>=<path>   a file that goes in
  --variants <n>          so many at once
  --output <folder>       where the files go; the present one otherwise
  --json                  the results as JSON, and nothing else

  BOTTEGA_URL is the address of your Bottega (http://127.0.0.1:4620 when it is not set), BOTTEGA_KEY an API key of its settings.

It ends with 0 when it was made, with 1 when the run failed, and with 2 when it could not be asked for.`;

export type RunArguments = {
  model: string;
  prompt?: string;
  input: Record<string, unknown>;
  files: { field: string; path: string; name: string }[];
  variants: number;
  folder: string;
  json: boolean;
};

/** @throws CannotAsk */
export function readRunArguments(args: string[]): RunArguments {
  const { values, positionals } = parse(args);
  const [model, ...more] = positionals;
  if (!model || more.length > 0)
    throw new CannotAsk(
      `Name one model: bottega run <connection/model> --prompt "…"\n\n${runUsage}`,
    );
  const variants = Number(values.variants ?? 1);
  if (!Number.isInteger(variants) || variants < 1)
    throw new CannotAsk("--variants is a whole number from 1 on.");
  return {
    model,
    ...(values.prompt !== undefined && { prompt: values.prompt }),
    input: Object.fromEntries(
      (values.input ?? [])
        .map((pair) => split(pair, "--input"))
        .map(([key, value]) => [key, readValue(value)]),
    ),
    files: (values.file ?? [])
      .map((pair) => split(pair, "--file"))
      .map(([field, path]) => ({ field, path, name: basename(path) })),
    variants,
    folder: values.output ?? ".",
    json: values.json,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        prompt: { type: "string" },
        input: { type: "string", multiple: true },
        file: { type: "string", multiple: true },
        variants: { type: "string" },
        output: { type: "string" },
        json: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new CannotAsk(error instanceof Error ? error.message : String(error));
  }
}

function split(pair: string, option: string): [string, string] {
  const equals = pair.indexOf("=");
  if (equals < 1)
    throw new CannotAsk(`${option} is written ${option} name=value: “${pair}” has no name.`);
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

/** A number, a list or an object as JSON has it; everything else is words. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
