/** How long texts are: what prices and limits are counted by. */
export type TextSize = { messages: number; characters: number; bytes: number };

export const measureTexts = (texts: readonly string[]): TextSize => ({
  messages: texts.length,
  characters: texts.reduce((sum, text) => sum + text.length, 0),
  bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
});
