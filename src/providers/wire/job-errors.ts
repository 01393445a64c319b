import { ProviderError } from "../adapter.ts";

/**
 * Whether a job that was taken is asked about again after this. Only `final` marks an answer that speaks of the job's own end: a refused
 * question, a changed key or region, and a provider that does not find the job just now all say nothing of it.
 */
export const isPassing = (error: unknown): boolean =>
  error instanceof ProviderError && error.detail.final !== true;

/** The provider itself says that there is no such job; a page in its place (a proxy's, another site's) says nothing of it. */
export const isGone = (error: unknown): error is ProviderError =>
  error instanceof ProviderError &&
  error.detail.httpStatus === 404 &&
  error.detail.providerMessage !== undefined;

/** A job that its provider does not find: not yet, not under this key, or not any more; what it made may be billed. `gone` marks it. */
export function lostJob({ detail }: ProviderError): ProviderError {
  const { providerMessage: said } = detail;
  const message = `The provider does not find this job.${typeof said === "string" ? ` It says: ${said}` : ""}`;
  return new ProviderError("output_unavailable", "yes", {
    ...detail,
    message,
    gone: true,
    billed: true,
  });
}
