import type { FileRecord, ReadRecord } from '@/server/files/xdscope-format/file-record';
import { readXdscopeFile } from '@/server/files/xdscope-format/read-file';
import { writeXdscopeFile } from '@/server/files/xdscope-format/write-file';

export async function fileOf(records: Iterable<FileRecord> | AsyncIterable<FileRecord>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of writeXdscopeFile(asStream(records))) parts.push(part);
  return Buffer.concat(parts);
}

/** The bytes in pieces of `pieceBytes`, like those of a network. */
export async function* inPieces(bytes: Buffer, pieceBytes = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

export async function recordsOf(bytes: Buffer, pieceBytes?: number): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  for await (const record of readXdscopeFile(inPieces(bytes, pieceBytes))) records.push(record);
  return records;
}

export function damageOf(records: readonly ReadRecord[]): string[] {
  return records.flatMap((record) => (record.kind === 'damage' ? [record.reason] : []));
}

async function* asStream<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* items;
}
