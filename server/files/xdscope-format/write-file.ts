import { createHash } from 'node:crypto';
import { encodeBlock } from './block-codec';
import { encodeBody, encodedBodyBytes } from './body-records';
import { type BlockKind, enoughBlockBytes, formatVersion, magic, maxBlockBytes } from './file-format';
import type { FileCounts, FileRecord } from './file-record';
import { encodeFileLoad } from './load-records';

/**
 * Encodes records as the bytes of a file, and buffers at most one block. Bodies that exceed a block are left out, and
 * counted as missing together with `missingBodies()`, which is called at the end.
 */
export async function* writeXdscopeFile(
  records: AsyncIterable<FileRecord>,
  missingBodies: () => number = () => 0,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  const counts = { states: 0, observations: 0, bodies: 0, missingBodies: 0 };
  const block = new BlockUnderWay();
  const passed = (bytes: Buffer): Buffer => {
    digest.update(bytes);
    return bytes;
  };
  const version = Buffer.alloc(2);
  version.writeUInt16BE(formatVersion);
  yield passed(Buffer.concat([magic, version]));
  for await (const record of records) {
    for (const item of itemsOf(record, counts)) {
      if (item.length > maxBlockBytes) throw new Error(`expected at most ${maxBlockBytes} bytes in a record`);
      const full = block.add(record.kind, item);
      if (full !== undefined) yield passed(await encodeBlock(full.kind, full.content));
    }
  }
  const last = block.take();
  if (last !== undefined) yield passed(await encodeBlock(last.kind, last.content));
  counts.missingBodies += missingBodies();
  const sha256 = digest.digest('hex');
  yield await encodeBlock('end', Buffer.from(JSON.stringify({ counts, sha256 })));
}

/** MUTATES `counts`. */
function* itemsOf(
  record: FileRecord,
  counts: { -readonly [K in keyof FileCounts]: number },
): Generator<Buffer> {
  switch (record.kind) {
    case 'header':
      yield line(record.header);
      return;
    case 'sources':
      for (const source of record.sources) yield line(source);
      return;
    case 'states':
      counts.states += record.states.length;
      for (const state of record.states) yield line(state);
      return;
    case 'observations':
      counts.observations += record.observations.length;
      for (const observation of record.observations) yield line(observation);
      return;
    case 'gaps':
      for (const gap of record.gaps) yield line(gap);
      return;
    case 'labels':
      for (const label of record.labels) yield line(label);
      return;
    case 'load':
      yield line(encodeFileLoad(record.load));
      return;
    case 'bodies':
      for (const body of record.bodies) {
        const sizeBytes = encodedBodyBytes(body);
        if (sizeBytes === undefined || sizeBytes > maxBlockBytes) counts.missingBodies += 1;
        else {
          counts.bodies += 1;
          yield encodeBody(body);
        }
      }
  }
}

function line(json: object): Buffer {
  return Buffer.from(`${JSON.stringify(json)}\n`, 'utf8');
}

interface FullBlock {
  readonly kind: BlockKind;
  readonly content: Buffer;
}

class BlockUnderWay {
  #kind: BlockKind = 'header';
  #items: Buffer[] = [];
  #bytes = 0;

  /** Returns the previous block if the item does not fit into it. */
  add(kind: BlockKind, item: Buffer): FullBlock | undefined {
    const fits = kind === this.#kind && this.#bytes + item.length <= enoughBlockBytes;
    const full = fits ? undefined : this.take();
    this.#kind = kind;
    this.#items.push(item);
    this.#bytes += item.length;
    return full;
  }

  take(): FullBlock | undefined {
    if (this.#items.length === 0) return undefined;
    const full = { kind: this.#kind, content: Buffer.concat(this.#items) };
    this.#items = [];
    this.#bytes = 0;
    return full;
  }
}
