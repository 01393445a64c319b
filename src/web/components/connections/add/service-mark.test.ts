import { expect, it } from "vitest";
import { monogramOf } from "./service-mark.tsx";

it("a mark has two letters, which distinguish services with the same first letter", () => {
  const names = [
    "OpenAI",
    "Ollama",
    "OpenRouter",
    "fal",
    "Google Gemini",
    "Google Vertex AI",
    "xAI",
  ];
  expect(names.map(monogramOf)).toEqual(["OA", "Ol", "OR", "fa", "GG", "GV", "xA"]);
  expect(monogramOf("Q")).toBe("Q");
  expect(monogramOf("llama.cpp")).toBe("lc");
});
