import { expect, it } from "vitest";
import { snippetOf } from "./snippet.ts";

const shown = (text: string, q: string) => snippetOf([{ type: "text", text }], q);

it("a search hit reads as text, without the marks of Markdown", () => {
  expect(
    shown(
      "## Three directions\n1. **Letterpress** on `warm` paper\n- [a link](https://x.example)",
      "letterpress",
    ),
  ).toBe("Three directions Letterpress on warm paper a link");
  expect(shown("> A *quiet* word\n```js\nconst a = 2 * 3 * 4;\n```", "quiet")).toBe(
    "A quiet word const a = 2 * 3 * 4;",
  );
  expect(shown("snake_case stays, 2 * 3 too", "stays")).toBe("snake_case stays, 2 * 3 too");
});

it("a search hit with accents is shown, and no character is cut in half", () => {
  const text = `${"vorher ".repeat(60)}Café Órbita ${"🌊".repeat(200)}`;
  expect(shown(text, "cafe")).toMatch(/^….*Café Órbita 🌊+…$/u);
  expect(shown(text, "orbita")).toMatch(/Órbita/);
  expect(shown("🌊".repeat(300), "x").isWellFormed()).toBe(true);
  expect(shown(`a${"🌊".repeat(300)}`, "x").isWellFormed()).toBe(true);
});

it("a search hit shows the text around the first word", () => {
  const text = `${"before ".repeat(60)}needle ${"after ".repeat(60)}`;
  expect(shown(text, "needle")).toMatch(/^….*needle.*…$/);
});
