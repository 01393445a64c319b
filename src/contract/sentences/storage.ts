/** The file storage. */
export const storage = {
  unreachable: "The file storage could not be reached.",
  noUploadId: "The file storage returned no upload ID.",
  tempFileCut: "A temporary file of this server was truncated.",
  notSaved: "The file storage did not save the file.",
  stopped: "The file storage stopped in the middle of a file.",
  failed: ({ code }: { code: string }) => `The file storage failed (${code}).`,
  urlForm: "BLOB_URL must be s3://bucket/prefix?endpoint=https://...&region=...",
  urlCredentials:
    "BLOB_URL must not contain credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.",
  urlSetting: ({ setting }: { setting: string }) =>
    `BLOB_URL has the unknown setting “${setting}”. It supports endpoint, region and style.`,
  urlStyle: "The style in BLOB_URL must be path or virtual.",
  credentialsMissing:
    "BLOB_URL names an S3 bucket, so AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set.",
  urlEndpoint: "The endpoint in BLOB_URL must be an http or https address.",
  noBucket: ({ code }: { code: string }) =>
    `The file storage has no such bucket (${code}). Check BLOB_URL.`,
  bucketInHost: ({ code }: { code: string }) =>
    `The file storage expects the bucket in the host name (${code}). Add &style=virtual to BLOB_URL.`,
  keyRefused: ({ code }: { code: string }) =>
    `The file storage rejected the key (${code}). Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the key’s permissions.`,
  databaseDown: "The database of this server does not answer.",
  otherOwner: "Another Bottega uses these files. Stop it, then take over again.",
  failedPlainly: "The file storage failed.",
  silent: "The file storage does not answer.",
  ownerActive: "Another Bottega has just renewed its mark in the storage.",
};

/** Scheduled backups. */
export const backups = {
  folderNotAbsolute: "Enter the full path of the folder, such as /backups/bottega.",
  folderInUse:
    "The folder contains something else. Use an empty folder, or one with an earlier backup.",
  folderUnwritable: ({ code }: { code: string }) =>
    `The server can’t write to the folder (${code}). Grant it write permission there, or use another folder.`,
  ownersOnly: "Only owners can set the folder of backups. Ask an owner.",
  off: "No folder for backups is set. Set one first.",
  filesLost: ({ count }: { count: number }) =>
    `The storage has lost ${count === 1 ? "1 file" : `${count} files`}. Run “bottega doctor” to see what needs ${count === 1 ? "it" : "them"}.`,
  ended: ({ code }: { code: string }) => `The backup ended early (${code}).`,
};
