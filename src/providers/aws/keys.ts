export type AwsKey = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
/** A key that signs requests, or a bearer key. */
export type AwsCredentials = AwsKey | { apiKey: string };
/** A temporary key. `expiresAt` is wall-clock milliseconds, absent if it doesn't expire. */
export type TemporaryKey = AwsKey & { expiresAt?: number };
