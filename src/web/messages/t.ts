import { setupI18n } from "@lingui/core";
import { components } from "./en/frame/components.ts";
import { screens } from "./en/frame/screens.ts";
import { shell } from "./en/frame/shell.ts";
import { ui } from "./en/frame/ui.ts";
import type * as areas from "./en.ts";

export type Area = keyof typeof areas;
export type MessageId = { [Name in Area]: keyof (typeof areas)[Name] }[Area];
export type MessageValues = Record<string, string | number>;

// The texts of the frame and of components on every screen; other texts load with their screen.
const i18n = setupI18n({
  locale: "en",
  messages: { en: { ...ui, ...shell, ...screens, ...components } },
});

/** Registers an area's texts. */
export function addTexts(texts: Partial<Record<MessageId, string>>): void {
  i18n.load("en", texts);
}

/**
 * A text in the person's language, with its ICU placeholders filled: `t("shell.running", { count: 3
 * })`.
 */
export function t(id: MessageId, values?: MessageValues): string {
  return i18n._(id, values);
}

/** The language of texts, numbers and dates. */
export const locale = (): string => i18n.locale;
