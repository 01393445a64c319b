import { isChat, type TornWay } from "./way.ts";
import type { Fate } from "./world.ts";

/** The output and the cost of an undisturbed run. */
export type Whole = { text: string; files: number; costMicros: number };

/**
 * Judges a run's end by what its provider accepted and billed, whatever happened in between.
 * @returns the problems; none if every promise is kept
 */
export function judge(way: TornWay, whole: Whole, fate: Fate): string[] {
  const { run, text, files, ledger, wayOn } = fate;
  const wrong: string[] = [...(wayOn?.wrong ?? []), ...misbooked(run)];
  const taken = ledger.filter(({ isTaken }) => isTaken);
  const counted = new Set(taken.map(({ token }, index) => token ?? index)).size;
  const isBilled = ledger.some(({ isBilled: billed }) => billed);
  const { state, costMicros, costBasis } = run;
  const says = `${state}${run.error ? ` (${run.error.code})` : ""}, cost ${costMicros} ${costBasis}`;

  if (counted > 1 && !way.isFree) wrong.push(`${counted} requests that count were sent`);
  if (way.isFree) {
    if (state !== "succeeded" && state !== "failed") wrong.push(`a free run ended as ${says}`);
    return wrong;
  }
  if (isBilled && run.mostHeldMicros < whole.costMicros)
    wrong.push(`${run.mostHeldMicros} held, ${whole.costMicros} billed`);
  switch (state) {
    case "succeeded":
      if (!isBilled) wrong.push("it succeeded and the provider made nothing");
      if (files < whole.files || text !== whole.text)
        wrong.push(`it succeeded without its result: ${files} files, "${text}"`);
      if (costMicros !== whole.costMicros && costBasis === "known")
        wrong.push(`${costMicros} booked as known`);
      if (costMicros === null || costMicros < whole.costMicros) {
        // A lost count is estimated from the text.
        if (costBasis !== "estimated") wrong.push(`${costMicros} booked of ${whole.costMicros}`);
      }
      break;
    case "unconfirmed":
      if (wayOn === null) wrong.push("unconfirmed, and nobody can end it");
      if (way.goes === "words")
        wrong.push(`words that broke off are left for a person to decide: ${says}`);
      if (isBilled && run.heldMicros < whole.costMicros)
        wrong.push(`unconfirmed, and only ${run.heldMicros} are held`);
      break;
    case "failed":
      // Files that arrived before a break are saved: the run has its result, and reports that the
      // answer was incomplete.
      if (
        isBilled &&
        way.goes !== "words" &&
        files < Math.max(1, whole.files) &&
        !(way.goes === "file" && isHollow(fate))
      )
        wrong.push(`it was made and billed, and failed: ${says} ${run.error?.message}`);
      if (isBilled && !(costMicros !== null && costMicros > 0))
        wrong.push(`it was billed and nothing is booked: ${says}`);
      if (!isBilled && costBasis === "known" && (costMicros ?? 0) > 0)
        wrong.push(`nothing was billed, and it is booked as known: ${says}`);
      if (isChat(way) && !whole.text.startsWith(text))
        wrong.push(`what is kept is not what came: "${text}"`);
      break;
    default:
      wrong.push(`it never ended: ${says}`);
  }
  return wrong;
}

/**
 * Checks that a run is settled at most once, and that its reservation and cost match its ledger.
 */
function misbooked({ state, heldMicros, costMicros, books }: Fate["run"]): string[] {
  return [
    ...(books.settlements > 1 ? [`settled ${books.settlements} times`] : []),
    ...(books.heldMicros === heldMicros
      ? []
      : [`it holds ${heldMicros}, its books say ${books.heldMicros}`]),
    ...(state !== "unconfirmed" && heldMicros !== 0
      ? [`it is ${state} and holds ${heldMicros}`]
      : []),
    ...(state !== "unconfirmed" && books.costMicros !== (costMicros ?? 0)
      ? [`it cost ${costMicros}, its books say ${books.costMicros}`]
      : []),
  ];
}

/**
 * Whether the program received a complete answer without a result: no bytes of a file, or JSON that
 * isn't the provider's.
 */
function isHollow({ paidAnswer, servedAnswer }: Fate): boolean {
  if (!paidAnswer || !servedAnswer?.isWhole || servedAnswer.status >= 300) return false;
  const { body } = servedAnswer;
  const type = String(paidAnswer.headers["content-type"] ?? "");
  if (!/json|event-?stream/.test(type)) return body.length === 0;
  return !body.equals(paidAnswer.body) && isJson(body);
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}
