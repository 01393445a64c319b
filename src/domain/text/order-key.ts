/** In the order of their character codes. */
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const base = digits.length;
/** The length of keys at the end of a list. */
const counterDigits = 6;

/**
 * Makes keys, in order, after one and before another. A position in a list is a text that sorts
 * between its neighbors, so two simultaneous moves don't disturb each other.
 * @param after "" for the beginning
 * @param before undefined for the end
 */
export function keysBetween(after: string, before: string | undefined, count: number): string[] {
  if (count === 0) return [];
  if (before === undefined) {
    const keys = [keyBehind(after)];
    while (keys.length < count) keys.push(keyBehind(keys.at(-1)!));
    return keys;
  }
  // Bisects, so that many keys stay short.
  const half = count >> 1;
  const middle = keyBetween(after, before);
  return [
    ...keysBetween(after, middle, half),
    middle,
    ...keysBetween(middle, before, count - half - 1),
  ];
}

/** Counts in the first digits, so that appending doesn't make keys longer. */
function keyBehind(last: string): string {
  const counted = [...last.slice(0, counterDigits).padEnd(counterDigits, digits[0])].map(digitOf);
  for (let i = counterDigits - 1; i >= 0; i -= 1) {
    if (counted[i]! < base - 1) {
      counted[i]! += 1;
      return trim(counted.map((value) => digits[value]).join(""));
    }
    counted[i] = 0;
  }
  return behind(last);
}

function keyBetween(after: string, before: string): string {
  for (let i = 0; ; i += 1) {
    const [low, high] = [digitOf(after[i] ?? digits[0]!), digitOf(before[i]!)];
    if (low === high) continue;
    const same = before.slice(0, i);
    if (high - low > 1) return same + digits[(low + high) >> 1];
    return same + digits[low] + behind(after.slice(i + 1));
  }
}

/** The shortest text that sorts after another. */
function behind(after: string): string {
  const i = [...after].findIndex((digit) => digitOf(digit) < base - 1);
  if (i < 0) return after + digits[base >> 1];
  return after.slice(0, i) + digits[(digitOf(after[i]!) + base) >> 1];
}

const digitOf = (digit: string): number => digits.indexOf(digit);
/** Nothing could be inserted before a key that ends in the lowest digit. */
const trim = (key: string): string => key.replace(/0+$/, "");
