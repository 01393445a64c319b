import { z } from "zod";
import { cleanText, turnsDirection } from "../entities.ts";
import { limits } from "../limits.ts";
import { sentences } from "../sentences/index.ts";

/** Counts characters as people do: a family emoji is one. */
const countCharacters = (text: string): number =>
  [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].length;

/** Longer names are refused before counting. */
const maxUnits = 10_000;
const invisible = /[\p{C}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/gu;

/**
 * NFC, on one line, without direction-changing characters, and with at least one visible character.
 */
export const tagName = z
  .string()
  .max(maxUnits, sentences.tags.tooLong({ most: limits.tagCharacters }))
  .transform((value) =>
    cleanText(value).replace(turnsDirection, "").normalize("NFC").replace(/\s+/g, " ").trim(),
  )
  .superRefine((value, context) => {
    const problem = problemOfName(value);
    if (problem) context.addIssue({ code: "custom", message: problem });
  });

function problemOfName(value: string): string | undefined {
  if (value.replace(invisible, "") === "") return sentences.tags.empty;
  const most = limits.tagCharacters;
  const count = countCharacters(value);
  if (count > most) return sentences.tags.tooLongBy({ most, count });
  return new TextEncoder().encode(value).byteLength > limits.tagBytes
    ? sentences.tags.tooHeavy
    : undefined;
}
