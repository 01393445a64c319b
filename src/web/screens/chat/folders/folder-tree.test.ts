import { expect, it } from "vitest";
import { folderLines, idsWithin } from "./folder-tree.ts";

const folder = (id: string, parentId: string | null) => ({ id, parentId, name: id, position: 0 });
const folders = [folder("b", null), folder("a1", "a"), folder("a", null), folder("a2", "a1")];

it("each folder comes before its subfolders, with its depth", () => {
  expect(folderLines(folders).map(({ id, depth }) => `${depth} ${id}`)).toEqual([
    "0 b",
    "0 a",
    "1 a1",
    "2 a2",
  ]);
});

it("a folder contains itself and everything in it", () => {
  expect([...idsWithin(folders, "a")]).toEqual(["a", "a1", "a2"]);
});
