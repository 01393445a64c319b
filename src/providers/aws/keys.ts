export type AwsKey = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
/** A key that signs requests, or one that goes along as it is. */
export type AwsCredentials = AwsKey | { apiKey: string };
/** A key for a while; `expiresAt` is wall-clock milliseconds, absent when it has no end. */
export type TemporaryKey = AwsKey & { expiresAt?: number };
