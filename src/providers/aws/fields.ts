import type { ConnectionField } from "../adapter.ts";

/**
 * How a connection signs in to AWS. The last two use the machine's own credentials, and so are only
 * for connections of the instance.
 */
export const signIns = ["access key", "API key", "profile", "machine role"] as const;
export type SignIn = (typeof signIns)[number];

const signedBySecret = { field: "signIn", is: ["access key"] } as const;
const mayTakeRole = { field: "signIn", is: ["access key", "profile", "machine role"] } as const;

/** The sign-in fields of every AWS service. The first of `ways` is the default. */
export function awsFields(ways: readonly SignIn[]): ConnectionField[] {
  const fields: ConnectionField[] = [
    {
      name: "region",
      label: "Region",
      kind: "text",
      required: true,
      placeholder: "us-east-1",
      hint: "Where the models run. Each region offers its own models.",
    },
    {
      name: "signIn",
      label: "Sign in with",
      kind: "choice",
      required: false,
      choices: ways,
      hint: "Profiles and machine roles belong to this server. Only an admin can connect them, for everyone.",
    },
    {
      name: "accessKeyId",
      label: "Access key ID",
      kind: "secret",
      required: true,
      when: signedBySecret,
      hint: "From the IAM console, under Security credentials of a user with minimal permissions.",
    },
    {
      name: "secretAccessKey",
      label: "Secret access key",
      kind: "secret",
      required: true,
      when: signedBySecret,
    },
    {
      name: "sessionToken",
      label: "Session token",
      kind: "secret",
      required: false,
      when: signedBySecret,
      advanced: true,
      hint: "Only for a temporary key, which expires within hours.",
    },
    {
      name: "apiKey",
      label: "API key",
      kind: "secret",
      required: true,
      when: { field: "signIn", is: ["API key"] },
      hint: "From the Bedrock console, under API keys.",
    },
    {
      name: "profile",
      label: "Profile",
      kind: "text",
      required: true,
      when: { field: "signIn", is: ["profile"] },
      placeholder: "default",
      hint: "A name from the server’s own ~/.aws/config or ~/.aws/credentials.",
    },
    {
      name: "roleArn",
      label: "Role to assume",
      kind: "text",
      required: false,
      when: mayTakeRole,
      advanced: true,
      placeholder: "arn:aws:iam::123456789012:role/bottega",
    },
    {
      name: "externalId",
      label: "External ID",
      kind: "text",
      required: false,
      when: mayTakeRole,
      advanced: true,
      hint: "Only if the role requires one.",
    },
  ];
  return ways.includes("API key") ? fields : fields.filter(({ name }) => name !== "apiKey");
}

/** The addresses of every service besides its own two: file storage, and role assumption. */
const sharedAddresses = {
  s3: "https://s3.{region}.amazonaws.com",
  sts: "https://sts.{region}.amazonaws.com",
};

/**
 * Returns a service's addresses by name, and the fields in which an admin may override them.
 * @param own the service's own addresses
 * @param controlLabel the label of the address of its model list
 */
export function awsAddresses(own: { api: string; control: string }, controlLabel: string) {
  const addresses = { ...own, ...sharedAddresses };
  const labels = {
    api: "Runtime address",
    control: controlLabel,
    s3: "S3 address",
    sts: "Role address",
  };
  const fields = Object.entries(addresses).map(
    ([address, placeholder]): ConnectionField => ({
      name: `${address}Address`,
      label: labels[address as keyof typeof addresses],
      kind: "url",
      required: false,
      placeholder,
      address,
      advanced: true,
    }),
  );
  return { addresses, fields };
}
