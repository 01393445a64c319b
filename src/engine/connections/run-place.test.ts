import { expect, it } from "vitest";
import { runPlaceOf, slotsOf } from "./run-place.ts";

const anywhere = { addresses: { api: "http://127.0.0.1:11434" } };
const at = (api: string) => runPlaceOf(anywhere, { baseUrls: { api } });

it("a model runs where its kind says, whatever its address", () => {
  expect(runPlaceOf({ ...anywhere, runsOn: "cloud" }, { baseUrls: {} })).toBe("cloud");
  expect(runPlaceOf({ ...anywhere, runsOn: "hosted" }, { baseUrls: {} })).toBe("hosted");
});

it("for kinds without a place, a private address is local and any other is hosted", () => {
  expect(runPlaceOf(anywhere, { baseUrls: {} })).toBe("local");
  for (const near of [
    "http://localhost:1234/v1",
    "http://192.168.1.7:8000",
    "http://[::1]:80",
    "http://gpu:8000",
    "https://gpu.lan/v1",
  ])
    expect(at(near), near).toBe("local");
  for (const far of ["https://api.example.org/v1", "https://8.8.8.8/v1"])
    expect(at(far), far).toBe("hosted");
});

it("an unknown kind and an invalid address count as hosted", () => {
  expect(runPlaceOf(undefined, { baseUrls: {} })).toBe("hosted");
  expect(at("no address")).toBe("hosted");
});

it("a hosted connection has separate places for text and media, a local one as many as its server reports, up to four", () => {
  const unset = { text: null, media: null, said: null };
  const hosted = { baseUrls: { api: "https://api.example.org/v1" }, places: unset };
  const local = { baseUrls: { api: "http://127.0.0.1:8080/v1" }, places: unset };
  const kind = { addresses: { api: "" } };
  expect(slotsOf(kind, hosted)).toEqual({ text: 64, media: 8 });
  expect(slotsOf(kind, local)).toEqual({ text: 1, media: 1 });
  expect(slotsOf(kind, { ...local, places: { ...unset, said: 2 } })).toEqual({
    text: 2,
    media: 2,
  });
  expect(slotsOf(kind, { ...local, places: { ...unset, said: 32 } })).toEqual({
    text: 4,
    media: 4,
  });
  expect(slotsOf({ ...kind, localSlots: 3 }, local)).toEqual({ text: 3, media: 3 });
  expect(slotsOf(kind, { ...hosted, places: { ...unset, media: 2 } })).toEqual({
    text: 64,
    media: 2,
  });
});
