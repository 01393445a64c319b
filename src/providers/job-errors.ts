import { ProviderError } from "./adapter.ts";

/** Failures of a question to the provider that say nothing about the job itself. */
const passing = new Set([
  "provider_unreachable",
  "provider_timeout",
  "provider_overloaded",
  "provider_rate_limited",
  "provider_interrupted",
  "provider_protocol",
  // A key that was changed, an account that ran dry: someone mends it, and the job is still there.
  "provider_auth",
  "provider_quota",
]);

/**
 * Whether a job that was taken is asked about again after this. `final` marks an answer that speaks of the job itself: it will
 * not change however often it is asked.
 */
export const isPassing = (error: unknown): boolean =>
  error instanceof ProviderError && error.detail.final !== true && passing.has(error.code);

/** The provider itself says that there is no such job; a page in its place (a proxy's, another site's) says nothing of it. */
export const isGone = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.detail.httpStatus === 404 && error.detail.providerMessage !== undefined;

/** A job that its provider does not know any more: over, and what it made until then may be billed. */
export function lostJob({ detail }: ProviderError): ProviderError {
  const { providerMessage: said } = detail;
  const message = `The provider does not know this job any more.${typeof said === "string" ? ` It says: ${said}` : ""}`;
  return new ProviderError("output_unavailable", "yes", { ...detail, message, final: true, billed: true });
}
