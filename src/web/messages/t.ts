import { setupI18n } from "@lingui/core";
import { components } from "./en/components.ts";
import { screens } from "./en/screens.ts";
import { shell } from "./en/shell.ts";
import { ui } from "./en/ui.ts";
import type * as areas from "./en.ts";

export type Area = keyof typeof areas;
export type MessageId = { [Name in Area]: keyof (typeof areas)[Name] }[Area];
export type MessageValues = Record<string, string | number>;

// What the frame says and the parts that every screen has; the rest comes with the screen that says it.
const i18n = setupI18n({
  locale: "en",
  messages: { en: { ...ui, ...shell, ...screens, ...components } },
});

/** Makes the texts of an area known. */
export function addTexts(texts: Partial<Record<MessageId, string>>): void {
  i18n.load("en", texts);
}

/** The text of an id in the person's language, ICU placeholders filled: `t("shell.running", { count: 3 })`. */
export function t(id: MessageId, values?: MessageValues): string {
  return i18n._(id, values);
}

/** The language texts, numbers and dates are written in. */
export const locale = (): string => i18n.locale;
