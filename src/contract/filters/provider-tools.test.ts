import { expect, it } from "vitest";
import { withoutFileTools } from "./provider-tools.ts";

it("a temporary chat's settings drop only the tools that make files", () => {
  expect(
    withoutFileTools({ temperature: 1, webSearch: true, codeInterpreter: true, imageTool: true }),
  ).toEqual({ temperature: 1, webSearch: true });
});
