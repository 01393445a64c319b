type WavParts = {
  samples: Buffer;
  samplesPerSecond: number;
  channels: number;
  bits: number;
  /** 1 for integers, 3 for floats; the extensible form has it in its GUID. */
  format?: number;
  isExtensible?: boolean;
  /** The size in the header, if it is wrong. */
  claimedBytes?: number;
  /** Inserted before the sound, as editors do: a four-letter name and any bytes. */
  extraChunk?: { name: string; bytes: Buffer };
};

/** A WAV file from samples, little-endian and interleaved. */
export function buildWav(parts: WavParts): Buffer {
  const { samples, samplesPerSecond, channels, bits, format = 1, isExtensible = false } = parts;
  const facts = Buffer.alloc(isExtensible ? 40 : 16);
  facts.writeUInt16LE(isExtensible ? 0xfffe : format, 0);
  facts.writeUInt16LE(channels, 2);
  facts.writeUInt32LE(samplesPerSecond, 4);
  facts.writeUInt32LE((samplesPerSecond * channels * bits) / 8, 8);
  facts.writeUInt16LE((channels * bits) / 8, 12);
  facts.writeUInt16LE(bits, 14);
  if (isExtensible) facts.writeUInt16LE(format, 24);
  const extra = parts.extraChunk
    ? chunkOf(parts.extraChunk.name, parts.extraChunk.bytes)
    : Buffer.alloc(0);
  const body = Buffer.concat([
    Buffer.from("WAVE"),
    chunkOf("fmt ", facts),
    extra,
    chunkOf("data", samples, parts.claimedBytes),
  ]);
  return chunkOf("RIFF", body);
}

function chunkOf(name: string, bytes: Buffer, claimedBytes = bytes.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 0, "latin1");
  head.writeUInt32LE(claimedBytes, 4);
  return Buffer.concat([head, bytes, Buffer.alloc(bytes.length % 2)]);
}
