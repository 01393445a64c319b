import { expect, it } from "vitest";
import { nameDevice } from "./name-device.ts";

it("a session is named after its browser and system, though browsers name each other", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
  expect(nameDevice(chrome)).toEqual({ browser: "Chrome", system: "Linux" });
  expect(
    nameDevice(
      `${chrome} Edg/142.0.0.0`.replace("X11; Linux x86_64", "Windows NT 10.0; Win64; x64"),
    ),
  ).toEqual({
    browser: "Edge",
    system: "Windows",
  });
  const phone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
  expect(nameDevice(phone)).toEqual({ browser: "Safari", system: "iPhone" });
});

it("a user agent without browser or system is no device", () => {
  expect(nameDevice("curl/8.11.0")).toBeNull();
  expect(nameDevice(null)).toBeNull();
});
