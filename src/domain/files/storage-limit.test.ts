import { expect, it } from "vitest";
import { Problem } from "#contract/errors.ts";
import { bytesLeft, refuseAboveLimit, type StorageUse, savedAboveLimit } from "./storage-limit.ts";

const person: StorageUse = { of: "person", storedBytes: 9.8e9, limitBytes: 10e9 };
const project: StorageUse = { of: "project", storedBytes: 940, limitBytes: 1000 };

function sentenceOf(uses: StorageUse[], bytes: number): string | undefined {
  try {
    refuseAboveLimit(uses, bytes);
  } catch (error) {
    return error instanceof Problem ? error.detail.message : String(error);
  }
}

it("a refusal says how much of the limit is used and what to do", () => {
  expect(sentenceOf([person], 0.3e9)).toBe(
    "You have stored 9.8 GB of 10 GB. Delete files, or ask an admin.",
  );
  expect(sentenceOf([person, project], 61)).toBe(
    "This project stores 940 bytes of 1 KB. Delete files, or ask an admin.",
  );
  expect(savedAboveLimit({ ...person, storedBytes: 12.34e9 })).toBe(
    "The results are saved above the storage limit. You have stored 12.3 GB of 10 GB.",
  );
});

it("the last byte of a limit can be stored, and without a limit any number", () => {
  expect(sentenceOf([person], 0.2e9)).toBeUndefined();
  expect(sentenceOf([], Number.MAX_SAFE_INTEGER)).toBeUndefined();
  expect(bytesLeft([person, project])).toBe(60);
  expect(bytesLeft([{ ...project, storedBytes: 2000 }])).toBe(0);
  expect(bytesLeft([])).toBe(Number.POSITIVE_INFINITY);
});
