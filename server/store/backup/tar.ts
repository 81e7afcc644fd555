import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
}

const blockBytes = 512;
const pieceBytes = 1024 * 1024;
const mostOctal = 0o77777777777;

/** Writes the header of a file (POSIX ustar). Sizes from 8 GiB on are in base 256, as GNU tar writes them. */
export function tarHeader({ name, bytes }: TarEntry, at: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  header.write(name, 0, 100, 'utf8');
  header.write('0000600\0', 100, 'latin1');
  header.write('0000000\0'.repeat(2), 108, 'latin1');
  if (bytes <= mostOctal) header.write(`${octal(bytes, 11)} `, 124, 'latin1');
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  header.write(`${octal(Math.floor(at / 1_000), 11)} `, 136, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  header.write(`${octal(checksumOf(header), 6)}\0 `, 148, 'latin1');
  return header;
}

/** Throws an Error with the expected and the actual value. Returns undefined at the end of the archive. */
export function parseTarHeader(header: Buffer): TarEntry | undefined {
  if (header.length < blockBytes)
    throw new Error(`expected a header of ${blockBytes} bytes, got ${header.length}`);
  if (header.every((byte) => byte === 0)) return undefined;
  const stated = Number.parseInt(textOf(header, 148, 8), 8);
  const sum = checksumOf(header);
  if (stated !== sum) throw new Error(`expected a header with the checksum ${stated}, got ${sum}`);
  const bytes =
    header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(textOf(header, 124, 12), 8);
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw new Error(`expected a size, got ${bytes}`);
  return { name: textOf(header, 0, 100), bytes };
}

/** The zeros that follow a file of this size. */
export function tarPadding(bytes: number): Buffer {
  return Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);
}

export const tarEnd = Buffer.alloc(2 * blockBytes);

/** Copies bytes from the position of one file to that of the other. Returns their SHA-256. Throws if there are fewer. */
export async function copyBytes(from: FileHandle, to: FileHandle, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  for (let left = bytes; left > 0; ) {
    const piece = await readPiece(from, Math.min(left, pieceBytes));
    if (piece.length === 0) throw new Error(`expected ${bytes} bytes, got ${bytes - left}`);
    hash.update(piece);
    await to.writeFile(piece);
    left -= piece.length;
  }
  return hash.digest('hex');
}

/** Reads as many bytes as there are, at most `bytes`. */
export async function readPiece(from: FileHandle, bytes: number): Promise<Buffer> {
  const piece = Buffer.alloc(bytes);
  let read = 0;
  while (read < bytes) {
    const { bytesRead } = await from.read(piece, read, bytes - read, null);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return piece.subarray(0, read);
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

function textOf(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field
    .subarray(0, end === -1 ? length : end)
    .toString('utf8')
    .trim();
}

/** The checksum itself counts as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 0x20;
  for (const [place, byte] of header.entries()) if (place < 148 || place >= 156) sum += byte;
  return sum;
}
