import { expect, it } from "vitest";
import {
  damage,
  encodeEvent,
  encodeException,
  encodeFrame,
} from "../../../test/simulators/aws/aws-event-stream.ts";
import { readFrames } from "./event-stream.ts";

const frames = [
  encodeEvent("one", { text: "naïve 日本語" }),
  encodeException("two", { message: "oh" }),
  encodeFrame({ ":message-type": "event" }, ""),
];

async function read(bytes: Uint8Array, pieceBytes = bytes.length) {
  const pieces = async function* () {
    for (let from = 0; from < bytes.length; from += pieceBytes)
      yield bytes.subarray(from, from + pieceBytes);
  };
  const read: { messageType: string; name: string; text: string }[] = [];
  let error: unknown = null;
  try {
    for await (const { messageType, name, payload } of readFrames(pieces()))
      read.push({ messageType, name, text: Buffer.from(payload).toString() });
  } catch (thrown) {
    error = thrown;
  }
  return { read, error };
}

it.each([1, 7, 100, 10_000])("frames are read whole, in pieces of %i bytes", async (pieceBytes) => {
  expect(await read(Buffer.concat(frames), pieceBytes)).toEqual({
    read: [
      { messageType: "event", name: "one", text: '{"text":"naïve 日本語"}' },
      { messageType: "exception", name: "two", text: '{"message":"oh"}' },
      { messageType: "event", name: "", text: "" },
    ],
    error: null,
  });
});

const prelude = Buffer.from(frames[0]!);
prelude.writeUInt32BE(frames[0]!.length + 4, 0);
const endless = Buffer.from(frames[0]!);
endless.writeUInt32BE(0xffff_ffff, 0);
it.each([
  ["a wrong checksum", damage(frames[0]!), "provider_protocol"],
  ["a wrong length", Buffer.concat([prelude, frames[1]!]), "provider_protocol"],
  ["a length that can't be, without waiting for it", endless, "provider_protocol"],
  ["an end inside a frame", frames[0]!.subarray(0, 40), "provider_interrupted"],
  ["an end inside a prelude", frames[0]!.subarray(0, 5), "provider_interrupted"],
] as const)("%s is an error, reported after the frames before it", async (_what, bytes, code) => {
  const { read: before, error } = await read(Buffer.concat([frames[1]!, bytes]));
  expect(before).toHaveLength(1);
  expect(error).toMatchObject({ code, accepted: "yes" });
});
