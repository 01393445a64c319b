import { setupI18n } from "@lingui/core";
import { en } from "./en.ts";

export type MessageId = keyof typeof en;
export type MessageValues = Record<string, string | number>;

const i18n = setupI18n({ locale: "en", messages: { en } });

/** The text of an id in the person's language, ICU placeholders filled: `t("shell.running", { count: 3 })`. */
export function t(id: MessageId, values?: MessageValues): string {
  return i18n._(id, values);
}

/** The language texts, numbers and dates are written in. */
export const locale = (): string => i18n.locale;
