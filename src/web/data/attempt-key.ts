/** A key that names one attempt, however often it is sent. `crypto.randomUUID` is missing over plain http, where Bottega runs too. */
export const newAttemptKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
