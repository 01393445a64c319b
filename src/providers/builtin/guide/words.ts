import { foldWords } from "#domain/text/search-words.ts";

/** Words of a question that don't describe its subject. */
const fillers = new Set(
  foldWords(
    `a about accident accidentally again already also am an and any anybody anyone anything are as at be because been bottega
    but by can cannot could d did do does doing don done eight else ever every everywhere explain five for four from generate
    generated generating get gets getting give go goes got had happen happened happens has have help hey hi how i if in
    inside instead into is it its just keep know let like ll look m make makes making many may maybe me mean means much
    my myself need needs nine no not now of ok okay on one or our own please possible put question re really s said say
    saying says see seven should show six so some somebody someone something still suddenly t tell ten than thanks that
    the their them then there these they thing things think this those three time to too try trying two us use used uses
    using ve very via want wanted wants was way we well were what when where which while who whom whose why will with
    without won work working works would yes yet you your`,
  ),
);

/**
 * Newcomers' words, each with the manual's word for it. These are general terms; the words for a
 * particular section are in its own comment.
 */
const otherNames: Readonly<Record<string, string>> = {
  variation: "variant",
  variations: "variant",
  photo: "picture image",
  image: "picture",
  pic: "picture",
  img: "picture",
  photograph: "picture",
  artwork: "picture",
  film: "video",
  movie: "video",
  clip: "video",
  animation: "video animate",
  voiceover: "speech",
  song: "music",
  soundtrack: "music",
  subtitles: "transcript",
  login: "signin",
  logout: "signout",
  signup: "invite",
  credentials: "key",
  token: "key",
  secret: "key",
  cash: "money cost",
  spend: "cost budget",
  spent: "cost",
  spending: "cost budget",
  paid: "cost",
  pricing: "price",
  bill: "cost",
  coworker: "colleague",
  teammate: "colleague",
  teammates: "colleague",
  workspace: "project",
  smartphone: "phone",
  iphone: "phone",
  android: "phone",
  ipad: "tablet phone",
  docker: "container",
  reachable: "reached",
  unreachable: "reached",
  boss: "admin",
  big: "large",
  laptop: "machine computer",
  pc: "machine computer",
  mac: "machine computer",
  hotkey: "shortcut",
  hotkeys: "shortcut",
  keybinding: "shortcut",
  bin: "trash",
  recycle: "trash",
  erase: "delete",
  discard: "delete",
  undelete: "restore",
  recover: "restore",
  chat: "conversation",
  thread: "conversation",
  discussion: "conversation",
  dialogue: "conversation",
  history: "conversation",
  ai: "model",
  llm: "model language",
  bot: "model guide",
  assistant: "model",
  photoshop: "edit",
  enlarge: "upscale",
  bigger: "upscale larger",
  resolution: "upscale size",
  mask: "edit",
  https: "tls",
  ssl: "https tls",
  reboot: "restart",
  crashed: "crash",
  broken: "fail",
  stuck: "wait",
  hangs: "wait",
  hanging: "wait",
  pending: "wait queue",
  slow: "wait",
  upgrade: "update",
  install: "start",
  quit: "stop",
  abort: "cancel",
  settings: "setting",
  configuration: "setting",
  config: "setting",
  env: "environment",
  kubernetes: "docker container",
  podman: "docker container",
  postgresql: "postgres",
  coupon: "credit",
};

/** `hasOwn`, because a person may ask about a "constructor". */
const namesOf = (word: string): string | undefined =>
  Object.hasOwn(otherNames, word) ? otherNames[word] : undefined;

/** Returns a rough stem. Both sides use it, so only collisions matter. */
const stem = (word: string): string => {
  if (word.length <= 3) return word;
  if (word.length === 4) return word.replace(/s$/, "");
  const cut = word.replace(/(?:ings?|ed|es|s|e)$/, "");
  // "planning" and "plan", "stopped" and "stop".
  return /([bdgmnprt])\1$/.test(cut) && cut !== word ? cut.slice(0, -1) : cut;
};

/**
 * Joins phrases that people use as one word, such as "back up", "set up", "log me out" and "are
 * you".
 */
const joinWords = (text: string): string =>
  text
    .replace(/\b(?:left|leaves|leaving|quit|quits) (?:the|our|my) (?:company|team)\b/gi, "leaves")
    .replace(/\b(?:logged|signed)[ -]in\b/gi, "signedin")
    .replace(
      /\b(back|set|sign|log|shut|key)(?: (?:me|us|it))?[ -](up|in|out|on|down|board)\b/gi,
      "$1$2",
    )
    .replace(/\blog(in|out)\b/gi, "sign$1")
    .replace(/\b(?:(?:who|what) )?are you\b/gi, "whoareyou");

export const stemsOf = (text: string): string[] => foldWords(joinWords(text)).map(stem);

/** A word of a question with the manual's words for it, stemmed. */
export type Asked = { word: string; others: string[] };

/**
 * @returns `isTelling` is whether any word describes a subject; if none does, as in "how does it
 *   work", all words are returned
 */
export function askedWords(question: string): { asked: Asked[]; isTelling: boolean } {
  const words = foldWords(joinWords(question));
  const telling = words.filter((word) => !fillers.has(word));
  const isTelling = telling.length > 0;
  const byStem = new Map(
    (isTelling ? telling : words).map((word) => [
      stem(word),
      stemsOf(namesOf(word) ?? namesOf(stem(word)) ?? ""),
    ]),
  );
  return { asked: [...byStem].map(([word, others]) => ({ word, others })), isTelling };
}
