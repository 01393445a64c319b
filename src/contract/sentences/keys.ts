/** API keys. */
export const keys = {
  scopeMissing: ({ scope }: { scope: string }) =>
    `This API key lacks the scope ${scope}. Add the scope to the key, or use another key.`,
  needed: "This API needs an API key. Send it as “Authorization: Bearer …”.",
  createOne: "Create a key under Settings, API keys.",
  invalid: "This API key is unknown, revoked or expired, or its owner or project is inactive.",
  createAndSend: "Create a key under Settings, API keys, and send it as “Authorization: Bearer …”.",
  notByKey: "API keys can’t do this. Sign in to Bottega instead.",
  modelNotAllowed: "This API key is limited to other models. Use one of them, or edit the key.",
  modelUnknown: "This model is not available to you in the key’s project. Choose another.",
  expiryPast: "The expiry is in the past. Choose a later time.",
  tooMany: ({ count }: { count: number }) =>
    `You have ${count} keys, the maximum. Revoke an unused key first.`,
};
