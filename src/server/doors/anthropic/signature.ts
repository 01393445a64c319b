/**
 * The signature of thinking in our answers, which programs return unread. The thinking itself and
 * its provider's signature stay with the run, and are sent again with the calls that they led to.
 */
export const signatureOf = (runId: string): string => `bottega_${runId}`;

export const isOwnSignature = (signature: string | undefined): boolean =>
  signature === undefined || signature === "" || /^bottega_[0-9a-f-]{36}$/.test(signature);
