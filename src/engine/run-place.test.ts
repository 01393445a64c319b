import { expect, it } from "vitest";
import { runPlaceOf } from "./run-place.ts";

const anywhere = { addresses: { api: "http://127.0.0.1:11434" } };
const at = (api: string) => runPlaceOf(anywhere, { baseUrls: { api } });

it("a model runs where its kind says, whatever its address", () => {
  expect(runPlaceOf({ ...anywhere, runsOn: "cloud" }, { baseUrls: {} })).toBe("cloud");
  expect(runPlaceOf({ ...anywhere, runsOn: "hosted" }, { baseUrls: {} })).toBe("hosted");
});

it("where the kind does not say, an address of one's own network is local and any other is hosted", () => {
  expect(runPlaceOf(anywhere, { baseUrls: {} })).toBe("local");
  for (const near of ["http://localhost:1234/v1", "http://192.168.1.7:8000", "http://[::1]:80", "http://gpu:8000", "https://gpu.lan/v1"])
    expect(at(near), near).toBe("local");
  for (const far of ["https://api.example.org/v1", "https://8.8.8.8/v1"]) expect(at(far), far).toBe("hosted");
});

it("a kind that this program does not have, and an address that is none, are taken for hosted", () => {
  expect(runPlaceOf(undefined, { baseUrls: {} })).toBe("hosted");
  expect(at("no address")).toBe("hosted");
});
