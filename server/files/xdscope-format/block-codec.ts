import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import {
  type BlockKind,
  blockHeadBytes,
  blockKinds,
  blockMarker,
  checksumBytes,
  encodings,
  maxBlockBytes,
} from './file-format';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Smaller content is not deflated. */
const worthDeflatingBytes = 128;

interface BlockHead {
  /** Undefined for a kind that this version does not support. */
  readonly kind: BlockKind | undefined;
  readonly encoding: number;
  readonly storedBytes: number;
  readonly inflatedBytes: number;
}

const kindNames = new Map<number, BlockKind>(
  Object.entries(blockKinds).map(([name, number]) => [number, name as BlockKind]),
);

/** Encodes a block of at most maxBlockBytes. */
export async function encodeBlock(kind: BlockKind, content: Uint8Array): Promise<Buffer> {
  const deflated = content.length < worthDeflatingBytes ? undefined : await deflate(content);
  const isSmaller = deflated !== undefined && deflated.length < content.length;
  const stored = isSmaller ? deflated : content;
  const head = Buffer.alloc(blockHeadBytes);
  blockMarker.copy(head);
  head.writeUInt8(blockKinds[kind], 4);
  head.writeUInt8(isSmaller ? encodings.deflated : encodings.plain, 5);
  head.writeUInt32BE(stored.length, 6);
  head.writeUInt32BE(content.length, 10);
  checksumOf(head, stored).copy(head, blockHeadBytes - checksumBytes);
  return Buffer.concat([head, stored]);
}

/** Undefined if no block begins here, or its sizes exceed the limit. */
export function readBlockHead(head: Buffer): BlockHead | undefined {
  if (!head.subarray(0, 4).equals(blockMarker)) return undefined;
  const encoding = head.readUInt8(5);
  const storedBytes = head.readUInt32BE(6);
  const inflatedBytes = head.readUInt32BE(10);
  if (storedBytes > maxBlockBytes || inflatedBytes > maxBlockBytes) return undefined;
  return { kind: kindNames.get(head.readUInt8(4)), encoding, storedBytes, inflatedBytes };
}

export function hasRightChecksum(head: Buffer, stored: Buffer): boolean {
  return checksumOf(head, stored).equals(head.subarray(blockHeadBytes - checksumBytes));
}

/** Throws if the content differs from its head. At most the announced size is inflated. */
export async function inflateBlock({ encoding, inflatedBytes }: BlockHead, stored: Buffer): Promise<Buffer> {
  const isPlain = encoding === encodings.plain;
  if (!isPlain && encoding !== encodings.deflated)
    throw new Error(`expected encoding 0 or 1, got ${encoding}`);
  const content = isPlain ? stored : await inflate(stored, { maxOutputLength: Math.max(1, inflatedBytes) });
  if (content.length !== inflatedBytes) {
    throw new Error(`expected ${inflatedBytes} bytes inflated, got ${content.length}`);
  }
  return content;
}

/** The first bytes of SHA-256 over the head, without marker and checksum, and the stored bytes. */
function checksumOf(head: Buffer, stored: Uint8Array): Buffer {
  const sum = createHash('sha256')
    .update(head.subarray(4, blockHeadBytes - checksumBytes))
    .update(stored);
  return sum.digest().subarray(0, checksumBytes);
}
