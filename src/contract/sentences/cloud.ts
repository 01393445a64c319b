/** Accounts at AWS, Azure and Google Cloud. */
export const cloud = {
  badRegion: "This is not an AWS region. Enter one such as us-east-1.",
  machineRoleForAdmins:
    "Only an admin’s connection for everyone can use the server’s AWS profile or role.",
  bucketFailed: ({ bucket, fault }: { bucket: string; fault: string }) =>
    `The bucket ${bucket} ${fault}.`,
  accessKeyNeeded: "A Bedrock API key only works for Bedrock. This call needs an access key.",
  entraIncomplete: "Signing in with Entra ID needs a tenant, a client ID and a client secret.",
  deploymentTwice: ({ deployment }: { deployment: string }) =>
    `The deployment ${deployment} is listed twice.`,
  entraNoToken: "Entra ID returned no token.",
  videoBucketNeeded:
    "Bedrock writes videos to an S3 bucket. Add its address, such as s3://my-bucket/bottega, to the connection.",
  videoBucketNeedsAccessKey:
    "A Bedrock API key can’t read the video’s bucket. Use a connection with an access key.",
  firstFrameNeedsSixSeconds: "A first frame requires a duration of 6 seconds.",
  videoPlaceMissing: "Bedrock did not say where it saved the video.",
  videoFailed: "Bedrock did not make the video and gave no reason.",
  notABucket: "This is not the address of a bucket.",
  asyncBucketNeeded:
    "An asynchronous endpoint reads its input from an S3 bucket. Add its address, such as s3://my-bucket/bottega, to the connection.",
  bucketWebPage: "The bucket’s address returned a web page.",
  asyncResultLate:
    "After seven hours, the bucket contains neither a result nor an error of the endpoint.",
  bucketResultTooLarge: "The result in the bucket exceeds the size limit.",
  otherThanPictures: "The endpoint returned something other than pictures. It is saved unchanged.",
  asyncResultMissing: "The bucket contains neither a result nor an error of the endpoint.",
  endpointFailed: "The endpoint failed and gave no reason.",
  endpointForm: ({ line }: { line: string }) =>
    `“${line}” is not understood. Enter a name and an API, as in my-painter: images async.`,
  asyncNoChat: ({ endpoint }: { endpoint: string }) =>
    `${endpoint}: an asynchronous endpoint can’t answer in a chat.`,
  endpointDescription: ({ api, isAsync }: { api: string; isAsync: boolean }) =>
    `An endpoint of your account with the ${api} API${isAsync ? ", called asynchronously" : ""}. It is billed by the hour, not by the run.`,
  badLocation: "This is not a location. Enter one such as us-central1, or global.",
  badProject: "This is not a project ID.",
  noProject: "The project ID is missing. Enter the project that is billed.",
  notKeyFile: "This is not a key file. A key file is JSON and begins with {.",
  notServiceAccount: "This is not a service account key. Its type must be “service_account”.",
  keyFileIncomplete: "This key file lacks the account or the private key.",
  foreignTokenAddress: "This key file requests tokens from an address other than Google’s.",
  privateKeyUnreadable: "The private key in this key file can’t be read.",
  machineAccountForAdmins:
    "Only an admin’s connection for everyone can use the server’s service account.",
  noMachineAccount:
    "This server has no service account. It runs outside Google Cloud, or none is attached.",
  machineNoToken: "The server’s service account returned no token.",
  googleNoToken: "Google returned no token.",
  serviceAccountNeeded:
    "An API key only opens Google’s own models. This model needs a service account.",
  noCredentials: ({ source, words }: { source: string; words: string }) =>
    `${source} returned no key. AWS says: ${words}`,
  noPictureBecause: ({ reason }: { reason: string }) => `The model made no picture: ${reason}`,
  deploymentsForm: ({ reason }: { reason: string }) => `Deployments: ${reason}`,
};
