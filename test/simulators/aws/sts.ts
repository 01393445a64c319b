import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type AwsKeys, checkSignature } from "./aws-signature.ts";

/**
 * A strict AssumeRole (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html)
 * with one role.
 */
export async function startSts(options: {
  keys: AwsKeys;
  roleArn: string;
  externalId?: string;
  gives: AwsKeys & { sessionToken: string };
  lastsMs?: number;
}) {
  let calls = 0;
  const server = createServer(async (request, response) => {
    calls++;
    const body = await read(request);
    const refuse = (code: string, message: string) =>
      response
        .writeHead(403, { "content-type": "text/xml" })
        .end(
          `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>sim</RequestId></ErrorResponse>`,
        );
    const bodySha256 = createHash("sha256").update(body).digest("hex");
    const refused = checkSignature(request, options.keys, Date.now(), {
      service: "sts",
      bodySha256,
    });
    if (refused) return void refuse(refused.code, refused.message);
    const asked = new URLSearchParams(body.toString());
    if (
      asked.get("Action") !== "AssumeRole" ||
      asked.get("Version") !== "2011-06-15" ||
      !asked.get("RoleSessionName")
    )
      return void refuse("InvalidAction", "no");
    if (
      asked.get("RoleArn") !== options.roleArn ||
      (asked.get("ExternalId") ?? undefined) !== options.externalId
    ) {
      return void refuse(
        "AccessDenied",
        `User: sim is not authorized to perform: sts:AssumeRole on resource: ${asked.get("RoleArn")}`,
      );
    }
    const { accessKeyId, secretAccessKey, sessionToken } = options.gives;
    const until = new Date(Date.now() + (options.lastsMs ?? 3_600_000)).toISOString();
    response
      .writeHead(200, { "content-type": "text/xml" })
      .end(
        `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><AssumedRoleUser><AssumedRoleId>AROA:bottega</AssumedRoleId><Arn>${options.roleArn}</Arn></AssumedRoleUser><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${until}</Expiration></Credentials></AssumeRoleResult><ResponseMetadata><RequestId>sim</RequestId></ResponseMetadata></AssumeRoleResponse>`,
      );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
