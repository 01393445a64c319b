import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { startSts } from "../../../test/simulators/aws/sts.ts";
import { startBedrock } from "../../../test/simulators/bedrock.ts";
import { buildContext } from "../../../test/support/contracts/attempt.ts";
import { createTempFolder } from "../../../test/support/temp.ts";
import { bedrock } from "../services/bedrock/adapter.ts";
import { credentialsOf, regionOf } from "./credentials.ts";

const own = { accessKeyId: "AKIDOFTHEPERSON", secretAccessKey: "the-secret-of-the-person" };

function build(given: {
  options?: JsonObject;
  secret?: object | null;
  isOfInstance?: boolean;
  sts?: string;
  api?: string;
}) {
  const { sts = "http://127.0.0.1:9", api = "http://127.0.0.1:9" } = given;
  const secret = given.secret === null ? null : JSON.stringify(given.secret ?? own);
  const connection = {
    kind: "bedrock",
    addresses: { api, control: api, s3: api, sts },
    options: { region: "eu-test-1", ...given.options },
    secret,
    isOfInstance: given.isOfInstance ?? false,
  };
  return buildContext({ origin: api, connection, outbound: { privateOrigins: [sts, api] } })
    .context;
}

/** Sets up the machine's own credentials, in its environment and in its files. */
async function giveMachineKeys() {
  const folder = await createTempFolder("aws");
  const file = join(folder, "credentials");
  await writeFile(
    file,
    "[work]\naws_access_key_id = AKIDOFTHEPROFILE\naws_secret_access_key = the-secret-of-the-profile\n",
  );
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", file);
  vi.stubEnv("AWS_CONFIG_FILE", join(folder, "config"));
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDOFTHEMACHINE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "the-secret-of-the-machine");
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "the-token-of-the-machine");
  vi.stubEnv("AWS_PROFILE", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
}

it("the stored key signs requests, and nothing is read from the machine", async () => {
  await giveMachineKeys();
  expect(await credentialsOf(build({}))).toEqual(own);
  expect(await credentialsOf(build({ secret: { ...own, sessionToken: "token" } }))).toEqual({
    ...own,
    sessionToken: "token",
  });
  expect(
    await credentialsOf(build({ options: { signIn: "API key" }, secret: { apiKey: "key" } })),
  ).toEqual({ apiKey: "key" });
  for (const options of [{}, { signIn: "API key" }] as JsonObject[]) {
    await expect(credentialsOf(build({ options, secret: null }))).rejects.toMatchObject({
      code: "provider_auth",
      accepted: "no",
    });
  }
});

it("only an admin's shared connection may use the machine's role and profiles, never a person's own", async () => {
  await giveMachineKeys();
  for (const options of [
    { signIn: "machine role" },
    { signIn: "profile", profile: "work" },
  ] as JsonObject[]) {
    const refused = {
      code: "provider_auth",
      accepted: "no",
      message: expect.stringContaining("Only an admin’s"),
    };
    await expect(credentialsOf(build({ options, secret: null }))).rejects.toMatchObject(refused);
    await expect(bedrock.check(build({ options, secret: null }))).rejects.toMatchObject(refused);
  }
  const machine = build({ options: { signIn: "machine role" }, secret: null, isOfInstance: true });
  expect(await credentialsOf(machine)).toMatchObject({ accessKeyId: "AKIDOFTHEMACHINE" });
  const profile = build({
    options: { signIn: "profile", profile: "work" },
    secret: null,
    isOfInstance: true,
  });
  expect(await credentialsOf(profile)).toEqual({
    accessKeyId: "AKIDOFTHEPROFILE",
    secretAccessKey: "the-secret-of-the-profile",
  });
});

it("a missing profile is reported as missing", async () => {
  await giveMachineKeys();
  const context = build({
    options: { signIn: "profile", profile: "nobody" },
    secret: null,
    isOfInstance: true,
  });
  await expect(credentialsOf(context)).rejects.toMatchObject({
    code: "provider_auth",
    message: expect.stringContaining("“nobody”"),
  });
});

async function startRole(lastsMs?: number) {
  const simulator = await startBedrock({ sessionToken: "token-of-the-role" });
  const roleArn = "arn:aws:iam::123456789012:role/bottega";
  const sts = await startSts({
    keys: { ...own, region: "eu-test-1" },
    roleArn,
    externalId: "ours",
    gives: { ...simulator.keys, sessionToken: "token-of-the-role" },
    ...(lastsMs !== undefined && { lastsMs }),
  });
  onTestFinished(async () => {
    await simulator.stop();
    await sts.stop();
  });
  return { sts, roleArn, simulator };
}

it("a role is assumed with the stored key and its external ID, once per session", async () => {
  const { sts, roleArn, simulator } = await startRole();
  const context = build({
    options: { roleArn, externalId: "ours" },
    sts: sts.url,
    api: simulator.url,
  });
  expect((await bedrock.check(context)).message).toContain("models");
  expect(await credentialsOf(context)).toMatchObject({ sessionToken: "token-of-the-role" });
  expect(sts.calls()).toBe(1);
  // A different key signs in separately.
  await expect(
    credentialsOf(
      build({
        options: { roleArn, externalId: "ours" },
        secret: { ...own, secretAccessKey: "other" },
        sts: sts.url,
      }),
    ),
  ).rejects.toMatchObject({ code: "provider_auth" });
});

it("a role's key is refreshed shortly before it expires", async () => {
  const { sts, roleArn } = await startRole(60_000);
  const context = build({ options: { roleArn, externalId: "ours" }, sts: sts.url });
  await credentialsOf(context);
  await credentialsOf(context);
  expect(sts.calls()).toBe(2);
});

it("a refused role is reported in AWS's words, without the key", async () => {
  const { sts, roleArn } = await startRole();
  const refused = credentialsOf(
    build({ options: { roleArn, externalId: "somebody’s" }, sts: sts.url }),
  );
  const error = (await refused.catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({
    code: "provider_auth",
    accepted: "no",
    message: expect.stringContaining("not authorized"),
  });
  expect(error.message).not.toContain(own.secretAccessKey);
});

it("only valid region names become part of an address", () => {
  expect(regionOf(build({ options: { region: " eu-central-1 " } }))).toBe("eu-central-1");
  for (const region of ["evil.example/", "us-east-1.evil.example", "", "EU-1", "us-east-1#"]) {
    expect(() => regionOf(build({ options: { region } }))).toThrow("not an AWS region");
  }
});
