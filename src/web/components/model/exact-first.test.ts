import { expect, it } from "vitest";
import { exactFirst } from "./exact-first.ts";

const models = [
  { name: "Flux Dev, from a picture", modelId: "flux/dev/image" },
  { name: "Flux Dev", modelId: "flux/dev" },
  { name: "Flux", modelId: "flux" },
];
const names = (search?: string) => exactFirst(models, search).map(({ name }) => name);

it("puts the model with the searched name or ID first, and keeps the order of the others", () => {
  expect(names(" flux dev ")).toEqual(["Flux Dev", "Flux Dev, from a picture", "Flux"]);
  expect(names("FLUX/dev")).toEqual(["Flux Dev", "Flux Dev, from a picture", "Flux"]);
  expect(names("flux")).toEqual(["Flux", "Flux Dev, from a picture", "Flux Dev"]);
});

it("keeps the order without a search and without such a model", () => {
  const inOrder = models.map(({ name }) => name);
  expect(names()).toEqual(inOrder);
  expect(names("dev")).toEqual(inOrder);
});
