import { expect, it } from "vitest";
import { isSearchedFor, searchedName } from "./searched-files.ts";

it("a document is sent under a name with an extension that its provider's search reads", () => {
  const named = (name: string, mime: string) => searchedName({ name, mime });
  expect(named("notes", "text/plain")).toBe("notes.txt");
  expect(named("boats.py", "text/plain")).toBe("boats.py");
  expect(named("main.rs", "text/plain")).toBe("main.rs.txt");
  expect(named("a.html", "application/pdf")).toBe("a.html.pdf");
  expect(named("../etc\u202e/pass\nwd", "text/markdown")).toBe(".. etc pass wd.md");
  expect(named("", "text/plain")).toBe("document.txt");
  expect(named("x".repeat(500), "text/plain").length).toBeLessThan(160);
});

it("documents are searched if the model supports it and the answer asks for it, and not in the background", () => {
  const model = {
    inputSchema: { type: "object", properties: { fileSearch: { type: "boolean" } } },
  };
  const isPdfSearched = (of: typeof model, settings: { [name: string]: boolean }) =>
    isSearchedFor(of, settings)({ mime: "application/pdf" });
  expect(isPdfSearched(model, { fileSearch: true })).toBe(true);
  expect(isPdfSearched(model, { fileSearch: true, background: true })).toBe(false);
  expect(isPdfSearched(model, {})).toBe(false);
  expect(isSearchedFor({ inputSchema: null }, { fileSearch: true })({ mime: "text/plain" })).toBe(
    false,
  );
  const isSearched = isSearchedFor(model, { fileSearch: true });
  for (const mime of ["text/csv", "image/png", "application/zip", "constructor"])
    expect([mime, isSearched({ mime })]).toEqual([mime, false]);
});
