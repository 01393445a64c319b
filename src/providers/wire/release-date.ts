/** When a model came out, of a field that says so; an empty object where it says nothing that is a date. */
export const releasedAt = {
  /** ISO 8601. */
  iso: (value: unknown) => ofMs(typeof value === "string" ? Date.parse(value) : Number.NaN),
  /** Unix time in seconds. */
  seconds: (value: unknown) =>
    ofMs(typeof value === "number" ? Math.round(value * 1000) : Number.NaN),
};

/** No model is older: zero and January 1, 1970 mean "not known". */
const eldest = Date.UTC(2000, 0);
const ofMs = (ms: number): { releasedAt?: number } =>
  Number.isSafeInteger(ms) && ms >= eldest ? { releasedAt: ms } : {};
