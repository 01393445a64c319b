/** Words that lists of leaked passwords begin with, with digits before and after them. */
const common = new Set(
  `password passwort passw motdepasse contrasena letmein iloveyou welcome willkommen admin administrator changeme change qwerty qwertz azerty
  monkey dragon football baseball basketball superman batman princess sunshine starwars trustnoone secret topsecret master login default computer
  internet whatever michael jennifer charlie shadow hunter access freedom flower pokemon liverpool chelsea arsenal hello loveme lovely
  bottega test testing user username root guest temp temporary demo example summer winter spring autumn server studio`.split(
    /\s+/,
  ),
);

const keyboards = [
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "1q2w3e4r5t6y7u8i9o0p",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "qazwsxedcrfvtgbyhnujmikolp",
];
const letters: Record<string, string> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/**
 * Why a password is among the first that anyone tries; undefined for one that is not. Its length is the schema's affair.
 * @param email of the person whose it becomes
 */
export function weaknessOf(password: string, email: string): string | undefined {
  const given = password.toLowerCase();
  if (isRepeated(given)) return "This password repeats a few characters. Choose another one.";
  if (isRun(given))
    return "This password is a sequence of neighboring characters. Choose another one.";
  const [local = "", domain = ""] = email.toLowerCase().split("@");
  const bare = given.replace(/^[^a-z]+|[^a-z]+$/g, "");
  if (given.includes(email.toLowerCase()) || bare === local || bare === domain || given === local)
    return "This password is your email address. Choose another one.";
  const words = [bare, plain(bare), plain(given.replace(/[\d!]+$/, ""))];
  if (words.some((word) => common.has(half(word))))
    return "This password is among the most common ones. Choose another one.";
  return undefined;
}

/** One to four characters again and again, the last time maybe not whole. */
const isRepeated = (text: string): boolean =>
  [1, 2, 3, 4].some(
    (size) =>
      text ===
      text
        .slice(0, size)
        .repeat(Math.ceil(text.length / size))
        .slice(0, text.length),
  );

/** Up or down the alphabet, the digits or the keyboard, all of it. */
function isRun(text: string): boolean {
  const runs = ["0123456789012345678901234567890", "abcdefghijklmnopqrstuvwxyz", ...keyboards];
  const isPart = (part: string): boolean =>
    runs.some((run) => run.includes(part) || [...run].reverse().join("").includes(part));
  const digits = /\d+$/.exec(text)?.[0] ?? "";
  const rest = text.slice(0, text.length - digits.length);
  return isPart(text) || (rest.length >= 4 && isPart(rest) && (digits === "" || isPart(digits)));
}

/** Without the digits and signs that replace letters. */
const plain = (text: string): string =>
  text.replace(/[013457@$!]/g, (character) => letters[character] ?? "");

/** A password made of one repeated text. */
const half = (text: string): string =>
  text.slice(0, text.length / 2).repeat(2) === text ? text.slice(0, text.length / 2) : text;
