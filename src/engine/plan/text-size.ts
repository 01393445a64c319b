/** The size of texts, which prices and limits are based on. */
export type TextSize = { messages: number; characters: number; bytes: number };

export const measureTexts = (texts: readonly string[]): TextSize => ({
  messages: texts.length,
  characters: texts.reduce((sum, text) => sum + text.length, 0),
  bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
});
