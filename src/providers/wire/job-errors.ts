import { ProviderError } from "../adapter.ts";

/**
 * Whether to keep polling an accepted job after this error. Only `final` means that the job itself
 * has ended. A refused poll, a changed key or region, or a job that the provider can't find at the
 * moment doesn't.
 */
export const isPassing = (error: unknown): boolean =>
  error instanceof ProviderError && error.detail.final !== true;

/**
 * Whether the provider itself says that the job doesn't exist. A web page in its place proves
 * nothing.
 */
export const isGone = (error: unknown): error is ProviderError =>
  error instanceof ProviderError &&
  error.detail.httpStatus === 404 &&
  error.detail.providerMessage !== undefined;

/**
 * The error for a job that its provider can't find: not yet, not with this key, or not any more.
 * Its work may be billed.
 */
export function lostJob({ detail }: ProviderError): ProviderError {
  const { providerMessage: errorMessage } = detail;
  const message = `The provider can’t find this job.${typeof errorMessage === "string" ? ` It says: ${errorMessage}` : ""}`;
  return new ProviderError("output_unavailable", "yes", {
    ...detail,
    message,
    gone: true,
    billed: true,
  });
}
