/** Words at the start of leaked-password lists, to which people add digits before and after. */
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
 * Why a password is among the first that attackers try; undefined if it isn't. The schema checks
 * its length.
 * @param email of the password's owner
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

/** Whether the text repeats one to four characters, possibly with an incomplete last repetition. */
const isRepeated = (text: string): boolean =>
  [1, 2, 3, 4].some(
    (size) =>
      text ===
      text
        .slice(0, size)
        .repeat(Math.ceil(text.length / size))
        .slice(0, text.length),
  );

/** Whether the whole text runs up or down the alphabet, the digits or the keyboard. */
function isRun(text: string): boolean {
  const runs = ["0123456789012345678901234567890", "abcdefghijklmnopqrstuvwxyz", ...keyboards];
  const isPart = (part: string): boolean =>
    runs.some((run) => run.includes(part) || [...run].reverse().join("").includes(part));
  const digits = /\d+$/.exec(text)?.[0] ?? "";
  const rest = text.slice(0, text.length - digits.length);
  return isPart(text) || (rest.length >= 4 && isPart(rest) && (digits === "" || isPart(digits)));
}

/** Replaces the digits and signs that stand for letters. */
const plain = (text: string): string =>
  text.replace(/[013457@$!]/g, (character) => letters[character] ?? "");

/** The repeated half of a password that consists of one text twice. */
const half = (text: string): string =>
  text.slice(0, text.length / 2).repeat(2) === text ? text.slice(0, text.length / 2) : text;
