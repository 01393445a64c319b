import { basename } from "node:path";
import { parseArgs } from "node:util";
import { CannotAsk } from "./problems.ts";

export const runUsage = `bottega run <connection/model> "a prompt": makes something with a model of a Bottega, over its API.

  --prompt <words>        the prompt or question, in place of the words after the model; "-" reads it from standard input
  --input <key>=<value>   any other setting of the model; JSON where it reads as such
  --file <field>=<path>   a file that goes in
  --variants <n>          the number of variants
  --out <folder>          the folder for the files and their recipes; the current one otherwise (also --output)
  --yes                   spend the price that is shown without asking
  --resume <key>          continue a command that broke off: nothing is paid twice
  --json                  print only the result, as JSON

  BOTTEGA_URL is the address of your Bottega, BOTTEGA_API_KEY an API key of its settings.

It ends with 0 when the result is saved, with 1 when the run failed, and with 2 when nothing could be started.`;

export type RunArguments = {
  model: string;
  prompt?: string;
  input: Record<string, unknown>;
  files: { field: string; path: string; name: string }[];
  variants: number;
  folder: string;
  isApproved: boolean;
  json: boolean;
};

/** @throws CannotAsk */
export function readRunArguments(args: string[]): RunArguments | { resume: string } {
  const { values, positionals } = parse(args);
  const [model, words, ...more] = positionals;
  if (values.resume !== undefined) {
    if (args.length > 2 || model)
      throw new CannotAsk("--resume takes its key alone: everything else is remembered.");
    return { resume: values.resume };
  }
  if (!model)
    throw new CannotAsk(`Name one model: bottega run <connection/model> "a prompt"\n\n${runUsage}`);
  if (more.length > 0 || (words !== undefined && values.prompt !== undefined))
    throw new CannotAsk("There are two prompts. Put the prompt in quotes, once.");
  const prompt = values.prompt ?? words;
  const variants = Number(values.variants ?? 1);
  if (!Number.isInteger(variants) || variants < 1)
    throw new CannotAsk("--variants is a whole number from 1 on.");
  return {
    model,
    ...(prompt !== undefined && { prompt }),
    input: Object.fromEntries(
      (values.input ?? [])
        .map((pair) => split(pair, "--input"))
        .map(([key, value]) => [key, readValue(value)]),
    ),
    files: (values.file ?? [])
      .map((pair) => split(pair, "--file"))
      .map(([field, path]) => ({ field, path, name: basename(path) })),
    variants,
    folder: values.out ?? values.output ?? ".",
    isApproved: values.yes,
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
        out: { type: "string" },
        output: { type: "string" },
        yes: { type: "boolean", short: "y", default: false },
        resume: { type: "string" },
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

/** A number, list or object in JSON; everything else is text. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
