import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { hasRightChecksum, inflateBlock, readBlockHead } from './block-codec';
import { decodeBodies } from './body-records';
import type { BlockKind } from './file-format';
import { blockHeadBytes, blockMarker, formatVersion, isRecording, magic } from './file-format';
import type { ReadRecord } from './file-record';
import { fileCounts, fileGap, fileHeader, fileLabel } from './file-record';
import { fileLoad } from './load-records';
import { fileObservation, fileSource, fileState } from './observation-shape';
import { XdscopeFileError } from './xdscope-file-error';

export interface ReadLimits {
  /** Limit for all blocks together. */
  readonly maxInflatedBytes: number;
}

export const defaultReadLimits: ReadLimits = { maxInflatedBytes: 4 * 1024 * 1024 * 1024 };

/** The file is scanned for the next block after each damaged one, so that their number is limited. */
const maxDamaged = 64;

const fileEnd = z.object({ counts: fileCounts, sha256: z.string() });

/**
 * The records of a file as its bytes arrive. Damaged records are skipped and reported as `lost`; the last record states
 * whether the file is incomplete or altered. Throws XdscopeFileError where nothing can be read.
 */
export async function* readXdscopeFile(
  chunks: AsyncIterable<Uint8Array>,
  { maxInflatedBytes }: ReadLimits = defaultReadLimits,
): AsyncGenerator<ReadRecord> {
  const source = new ByteSource(chunks);
  try {
    const digest = createHash('sha256').update(await readStart(source));
    let damaged = 0;
    let inflated = 0;
    for (;;) {
      const begin = source.position;
      const head = await source.take(blockHeadBytes);
      if (head.length === 0) {
        yield damage(`expected the end block at byte ${begin}, got the end of the file: it was cut`);
        return;
      }
      const block = head.length < blockHeadBytes ? undefined : readBlockHead(head);
      const stored = block === undefined ? undefined : await source.take(block.storedBytes);
      if (block === undefined || stored === undefined || !hasRightChecksum(head, stored)) {
        damaged += 1;
        yield damage(describeDamage(begin, head, block?.storedBytes, stored));
        if (damaged >= maxDamaged) {
          yield damage(`${damaged} blocks are damaged: what follows byte ${source.position} is not read`);
          return;
        }
        if (stored !== undefined) source.putBack(stored);
        // Skips the marker of the damaged block.
        source.putBack(head.subarray(Math.min(head.length, 1)));
        if (!(await source.skipTo(blockMarker))) return;
        continue;
      }
      if (block.kind === 'end') {
        yield* readEnd(() => inflateBlock(block, stored), damaged === 0 ? digest : undefined);
        return;
      }
      digest.update(head).update(stored);
      inflated += block.inflatedBytes;
      if (inflated > maxInflatedBytes) {
        yield damage(
          `expected at most ${maxInflatedBytes} bytes inflated, got more by byte ${source.position}`,
        );
        return;
      }
      if (block.kind === undefined) yield damage(`the block at byte ${begin} is of a kind that is not known`);
      else yield* readBlock(block.kind, begin, () => inflateBlock(block, stored));
    }
  } finally {
    await source.close();
  }
}

async function readStart(source: ByteSource): Promise<Buffer> {
  const start = await source.take(magic.length + 2);
  if (start.length === 0) throw new XdscopeFileError('EMPTY', 'expected an .xdscope file, got an empty one');
  if (!isRecording(start)) {
    const got = start.subarray(0, magic.length).toString('hex');
    throw new XdscopeFileError(
      'NOT_A_RECORDING',
      `expected an .xdscope file, which begins with ${magic.toString('hex')}, got ${got}`,
    );
  }
  const version = start.length < magic.length + 2 ? 0 : start.readUInt16BE(magic.length);
  if (version !== formatVersion) {
    throw new XdscopeFileError(
      'OTHER_VERSION',
      `expected version ${formatVersion} of the .xdscope format, got ${version}: another xdscope wrote it`,
    );
  }
  return start;
}

async function* readBlock(
  kind: Exclude<BlockKind, 'end'>,
  begin: number,
  inflate: () => Promise<Buffer>,
): AsyncGenerator<ReadRecord> {
  const where = `${kind} at byte ${begin}`;
  try {
    const content = await inflate();
    if (kind === 'bodies') {
      yield { kind, bodies: decodeBodies(content) };
      return;
    }
    const problems: string[] = [];
    yield* readLines(kind, content, problems);
    const [first] = problems;
    if (first !== undefined) yield damage(`${where}: ${problems.length} not understood, the first: ${first}`);
  } catch (error) {
    yield damage(`${where}: ${reasonOf(error)}`);
  }
}

/** Malformed lines are left out and reported in `problems`. */
function* readLines(
  kind: Exclude<BlockKind, 'end' | 'bodies'>,
  content: Buffer,
  problems: string[],
): Generator<ReadRecord> {
  const parse = <T>(shape: z.ZodType<T>): T[] => parseLines(shape, content, problems);
  switch (kind) {
    case 'header':
      for (const header of parse(fileHeader)) yield { kind, header };
      return;
    case 'sources':
      yield { kind, sources: parse(fileSource) };
      return;
    case 'states':
      yield { kind, states: parse(fileState) };
      return;
    case 'observations':
      yield { kind, observations: parse(fileObservation) };
      return;
    case 'gaps':
      yield { kind, gaps: parse(fileGap) };
      return;
    case 'labels':
      yield { kind, labels: parse(fileLabel) };
      return;
    case 'load':
      for (const load of parse(fileLoad)) yield { kind, load };
  }
}

/** MUTATES `problems`. */
function parseLines<T>(shape: z.ZodType<T>, content: Buffer, problems: string[]): T[] {
  const items: T[] = [];
  for (const line of content.toString('utf8').split('\n')) {
    if (line === '') continue;
    try {
      items.push(shape.parse(JSON.parse(line)));
    } catch (error) {
      problems.push(reasonOf(error));
    }
  }
  return items;
}

/** `digest` covers the preceding bytes; undefined if some were damaged. */
async function* readEnd(
  inflate: () => Promise<Buffer>,
  digest: Hash | undefined,
): AsyncGenerator<ReadRecord> {
  try {
    const { counts, sha256 } = fileEnd.parse(JSON.parse((await inflate()).toString('utf8')));
    const got = digest?.digest('hex') ?? sha256;
    if (got !== sha256) yield damage(`expected SHA-256 ${sha256} of the whole file, got ${got}`);
    yield { kind: 'end', counts };
  } catch (error) {
    yield damage(`the end block: ${reasonOf(error)}`);
  }
}

function describeDamage(
  begin: number,
  head: Buffer,
  storedBytes: number | undefined,
  stored: Buffer | undefined,
): string {
  if (head.length < blockHeadBytes || stored?.length !== storedBytes) {
    return `the block at byte ${begin} is cut: expected ${storedBytes ?? blockHeadBytes} bytes, got ${stored?.length ?? head.length}`;
  }
  if (storedBytes === undefined)
    return `expected a block at byte ${begin}, got ${head.toString('hex', 0, 4)}`;
  return `the block at byte ${begin} is damaged: its checksum is not that of its ${storedBytes} bytes`;
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    const issue = error.issues[0];
    return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not understood'}`;
  }
  return error instanceof Error ? error.message : String(error);
}

function damage(reason: string): ReadRecord {
  return { kind: 'damage', reason };
}

/** Reads bytes that arrive in chunks in other amounts. Holds the requested bytes and the remainder of one chunk. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isOver = false;
  /** Number of bytes that were taken. */
  position = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns fewer bytes only at the end. */
  async take(count: number): Promise<Buffer> {
    await this.#hold(count);
    const all = this.#joined();
    const taken = all.subarray(0, count);
    this.#keep(all.subarray(taken.length));
    this.position += taken.length;
    return taken;
  }

  /** Puts back the bytes that were taken last. */
  putBack(bytes: Buffer): void {
    this.#held.unshift(bytes);
    this.#heldBytes += bytes.length;
    this.position -= bytes.length;
  }

  /** Skips to the next `wanted`; false if there is none. */
  async skipTo(wanted: Buffer): Promise<boolean> {
    for (;;) {
      await this.#hold(64 * 1024);
      const all = this.#joined();
      const found = all.indexOf(wanted);
      // The held bytes may end within `wanted`.
      const passed = found === -1 ? Math.max(0, all.length - (wanted.length - 1)) : found;
      this.#keep(all.subarray(passed));
      this.position += passed;
      if (found !== -1) return true;
      if (this.#isOver && this.#heldBytes < wanted.length) return false;
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #hold(count: number): Promise<void> {
    while (this.#heldBytes < count && !this.#isOver) {
      const { done, value } = await this.#chunks.next();
      if (done === true) this.#isOver = true;
      else {
        this.#held.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
        this.#heldBytes += value.byteLength;
      }
    }
  }

  #joined(): Buffer {
    const [only] = this.#held;
    return this.#held.length === 1 && only !== undefined ? only : Buffer.concat(this.#held);
  }

  #keep(bytes: Buffer): void {
    this.#held = bytes.length === 0 ? [] : [bytes];
    this.#heldBytes = bytes.length;
  }
}
