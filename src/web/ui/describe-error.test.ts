import { expect, it } from "vitest";
import { describeError } from "./describe-error.ts";

it.each([
  new TypeError(
    "Failed to fetch dynamically imported module: https://studio.test/assets/thread-1a2b.js",
  ),
  new TypeError(
    "error loading dynamically imported module: https://studio.test/assets/thread-1a2b.js",
  ),
  new TypeError("Importing a module script failed."),
  new Error("Unable to preload CSS for /assets/thread-1a2b.css"),
])("code that failed to load is reported as a lost connection: $message", (error) => {
  expect(describeError(error)).toMatchObject({
    code: "unavailable",
    title: "The server could not be reached.",
  });
});

it("an ID is mentioned only if there is one", () => {
  expect(describeError(new Error("x is undefined")).advice).not.toMatch(/\bID\b/);
  expect(describeError({ code: "internal", id: "r-12" })).toMatchObject({
    id: "r-12",
    advice: expect.stringMatching(/\bID\b/),
  });
});

it("quotes the provider separately from our own sentence", () => {
  const text = "The model rejected the settings.";
  const error = {
    code: "provider_invalid_input",
    message: `${text} api.example.org says: width is too large`,
    providerMessage: "width is too large",
  };
  expect(describeError(error)).toMatchObject({ title: text, quote: "width is too large" });
});

it("quotes what is known of an unconfirmed exchange, without repeating itself", () => {
  const text = "The provider did not confirm this.";
  expect(
    describeError({
      code: "outcome_unknown",
      message: text,
      cause: `${text} api.example.org says: boom`,
    }).quote,
  ).toBe("api.example.org says: boom");
  expect(
    describeError({ code: "outcome_unknown", message: text, cause: text }).quote,
  ).toBeUndefined();
});

it("leaves out the general advice if our own message ends with the next step", () => {
  const full = "You have 200 folders here, the maximum. Delete one first.";
  const body = { code: "conflict", detail: full, advice: "Reload it and try again." };
  expect(describeError(body)).toMatchObject({ title: full, advice: "" });
  const changed = "Someone else has changed this model’s details.";
  expect(describeError({ ...body, detail: changed })).toMatchObject({
    title: changed,
    advice: "Reload it and try again.",
  });
  const own = "Ask Ada to raise it.";
  expect(describeError({ ...body, advice: own }).advice).toBe(own);
  const left = "ollama stopped in the middle. The partial answer is saved.";
  expect(describeError({ code: "provider_interrupted", detail: left }).advice).toBe("Try again.");
});
