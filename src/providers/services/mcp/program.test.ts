import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { buildContext, buildRequest, collect } from "../../../../test/support/contracts/attempt.ts";
import { mcp } from "./adapter.ts";
import { readVariables, splitWords } from "./program.ts";

afterEach(() => mcp.close!());

const file = join(import.meta.dirname, "../../../../test/simulators/mcp-program.ts");
const command = `"${process.execPath}" '${file}'`;

function build(
  options: {
    command?: string;
    isOfInstance?: boolean;
    programs?: true | undefined;
    environment?: string;
  } = {},
) {
  const { isOfInstance = true, environment = "LICENCE=abc-123-def-456-ghi" } = options;
  const connection = {
    kind: "mcp",
    addresses: {},
    options: { reach: "program", command: options.command ?? command },
    secret: JSON.stringify({ environment }),
    isOfInstance,
  };
  const sent = vi.fn();
  const context = {
    ...buildContext({ origin: "http://127.0.0.1:1", connection }).context,
    ...(("programs" in options ? options.programs : true) && { programs: true as const }),
    markSent: sent,
  };
  const call = (name: string) =>
    collect(
      mcp.answer!(
        buildRequest({
          task: "tool",
          model: { id: name, inputSchema: null, capabilities: {} },
          input: {},
          turns: [],
        }),
        context,
      ),
    );
  const textOf = async (name: string): Promise<string> => {
    const { finish } = await call(name);
    return finish?.type === "finish" ? String(finish.result?.text) : "";
  };
  return { context, call, textOf, sent };
}

it("a program is started by its first use, reused, and reports that a call left", async () => {
  const { context, textOf, sent } = build();
  expect(await mcp.check(context)).toEqual({ message: "program 1: 3 tools." });
  expect(sent).not.toHaveBeenCalled();
  const [first, second] = [await textOf("count"), await textOf("count")];
  expect([first, second].map((text) => text.split(" ")[1])).toEqual(["1", "2"]);
  expect(first.split(" ")[0]).toBe(second.split(" ")[0]);
  expect(sent).toHaveBeenCalledTimes(2);
});

it("it gets its own variables, none of the server's secrets, and a directory away from our data", async () => {
  vi.stubEnv("BOTTEGA_MASTER_KEY", "canary-of-the-server");
  const { textOf } = build();
  const environment = JSON.parse(await textOf("environment")) as Record<string, string>;
  vi.unstubAllEnvs();
  expect(environment).toMatchObject({ LICENCE: "abc-123-def-456-ghi", folder: tmpdir() });
  expect(
    Object.keys(environment).filter((name) => name.startsWith("BOTTEGA") || name.startsWith("npm")),
  ).toEqual([]);
  expect(JSON.stringify(environment)).not.toContain("canary");
});

it("a program that ends in the middle of a call leaves it unconfirmed, and the next use restarts it", async () => {
  const { call, textOf } = build();
  const before = await textOf("count");
  expect((await call("die")).error).toMatchObject({
    code: "provider_unreachable",
    accepted: "unknown",
  });
  const after = await textOf("count");
  expect(after.split(" ")[1]).toBe("1");
  expect(after.split(" ")[0]).not.toBe(before.split(" ")[0]);
});

it("the program ends with the server", async () => {
  const { textOf } = build();
  const pid = Number((await textOf("count")).split(" ")[0]);
  await mcp.close!();
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow());
});

it("the check shows a broken program's output without its secrets, and a call's error doesn't repeat it", async () => {
  const { context, call } = build({ command: `${command} broken` });
  const message = "The program does not answer as a tool server.";
  const aside = "It wrote: the licence ••• is over";
  await expect(mcp.check(context)).rejects.toMatchObject({
    code: "provider_unreachable",
    message,
    aside,
  });
  expect((await call("count")).error).toMatchObject({
    message: "The program does not answer as a tool server.",
    accepted: "no",
  });
  await expect(mcp.check(build({ command: "no-such-program-here" }).context)).rejects.toMatchObject(
    {
      message: expect.stringContaining("command was not found"),
    },
  );
});

it("no program is started for a person's own connection, or unless the operator allows it", async () => {
  await expect(mcp.check(build({ isOfInstance: false }).context)).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(mcp.check(build({ programs: undefined }).context)).rejects.toMatchObject({
    code: "forbidden",
  });
});

it("a command is read without a shell", () => {
  expect(splitWords(`npx -y "a b" 'c d'e $HOME;ls`)).toEqual([
    "npx",
    "-y",
    "a b",
    "c de",
    "$HOME;ls",
  ]);
  expect(readVariables(`A=1 B="two words" C='x=y'`)).toEqual({ A: "1", B: "two words", C: "x=y" });
  expect(() => readVariables("no variable")).toThrow("NAME=value");
});
