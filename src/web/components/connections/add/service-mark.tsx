import { classes } from "../../../ui/classes.ts";
import styles from "./service-mark.module.css";

const tones = [styles.clay, styles.moss, styles.lake, styles.plum, styles.sand, styles.slate];

/** Two letters distinguish services with the same first letter: "OpenAI" is OA, "Ollama" Ol. */
export function monogramOf(name: string): string {
  const letters = [...name.replace(/[^\p{L}\p{N} ]/gu, " ").trim()];
  const first = letters[0] ?? "?";
  const next = letters.findIndex(
    (letter, at) =>
      at > 0 && letter !== " " && (letters[at - 1] === " " || letter !== letter.toLowerCase()),
  );
  return `${first}${letters[next > 0 ? next : 1] ?? ""}`.trim();
}

/** Combines all letters, so that the marks of a group differ. */
const toneOf = (kind: string): string | undefined =>
  tones[
    [...kind].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7) % tones.length
  ];

/**
 * Bottega's mark for a service: its initials on a color. Decorative, next to the service's name.
 */
export const ServiceMark = ({ kind, name }: { kind: string; name: string }) => (
  <span aria-hidden className={classes(styles.mark, toneOf(kind))}>
    <svg aria-hidden focusable="false" viewBox="0 0 32 32">
      <rect width="32" height="32" rx="8" />
      <text x="16" y="16.5" textAnchor="middle" dominantBaseline="central">
        {monogramOf(name)}
      </text>
    </svg>
  </span>
);
