import { tmpdir } from "node:os";
import type { Stream } from "node:stream";
import type { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { secretsOf } from "../../wire/connection.ts";
import { textOf } from "../../wire/values.ts";

const maxStderr = 2_000;

/** A program on this machine that communicates through pipes, and the last part of its stderr. */
export type ProgramTransport = { transport: StdioClientTransport; lastWords(): string };

/**
 * Starts a program as its admin wrote it: without a shell, with a minimal environment plus the
 * variables entered for it. It starts with the session's first message, and ends with the session.
 */
export async function createProgramTransport({
  connection,
  programs,
}: CallContext): Promise<ProgramTransport> {
  const { options, secret, isOfInstance } = connection;
  if (!isOfInstance || !programs)
    throw new ProviderError("forbidden", "no", {
      message: sentences.tools.programsOff,
    });
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const [command, ...args] = splitWords(String(options.command ?? ""));
  if (!command)
    throw new ProviderError("provider_invalid_input", "no", {
      message: sentences.tools.noCommand,
      field: "values.command",
    });
  const variables = readVariables(textOf(secretsOf(secret).environment) ?? "");
  const transport = new StdioClientTransport({
    command,
    args,
    env: variables,
    // Not in our data folder.
    cwd: tmpdir(),
    stderr: "pipe",
    maxBufferSize: limits.toolAnswerBytes,
  });
  let stderrText = "";
  const stderr: Stream | null = transport.stderr;
  stderr?.on("data", (chunk: Buffer) => {
    stderrText = (stderrText + chunk.toString()).slice(-maxStderr);
  });
  const secrets = Object.values(variables).filter((value) => value.length >= 4);
  const lastLine = (): string => stderrText.trim().split("\n").at(-1) ?? "";
  return {
    transport,
    lastWords: () =>
      secrets.reduce((words, one) => words.replaceAll(one, "•••"), lastLine()).slice(0, 300),
  };
}

/** Splits text at spaces, except within quotes. Nothing is expanded, because there is no shell. */
export function splitWords(text: string): string[] {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /"([^"]*)"|'([^']*)'/g,
      (_, double?: string, single?: string) => double ?? single ?? "",
    ),
  );
}

/**
 * Parses `NAME=value` pairs by the same rules.
 * @throws ProviderError for a malformed pair
 */
export function readVariables(text: string): Record<string, string> {
  return Object.fromEntries(
    splitWords(text).map((word) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
      if (name === undefined || value === undefined)
        throw new ProviderError("provider_invalid_input", "no", {
          message: sentences.tools.variableForm,
          field: "values.environment",
        });
      return [name, value];
    }),
  );
}
