import { LRUCache } from 'lru-cache';
import type { Observation } from '@/lib/observation/observation';
import { inflateBytes } from '../bodies/packing';
import { undecodable } from '../database/damaged-file';
import { bytesOf, type SqlFile } from '../database/sql-file';
import { type StoredPart, unpackPart } from './block-parts';
import { partId } from './block-store';
import type { LogBlock } from './log-block';
import { RowDecoder } from './row-decoder';
import { StoredVocabulary } from './vocabulary';

const cachedPartBytes = 16 * 1024 * 1024;
const cachedVocabularyBytes = 16 * 1024 * 1024;

/** The observations of blocks in the file; what was read lately is kept. */
export class BlockRows {
  /** By block. */
  readonly #decoders = new LRUCache<number, RowDecoder>({
    maxSize: cachedVocabularyBytes,
    sizeCalculation: ({ vocabulary }) => vocabulary.sizeBytes,
  });
  readonly #parts = new LRUCache<number, StoredPart>({
    maxSize: cachedPartBytes,
    sizeCalculation: ({ rows, starts }) => rows.length + 4 * starts.length + 200,
  });

  constructor(private readonly sql: SqlFile) {}

  observation(firstSeq: number, block: LogBlock, index: number): Observation {
    const place = block.placeOf(index);
    const { rows, starts } = this.#partOf(partId(firstSeq, place.part), block.partCounts[place.part] ?? 0);
    return this.#decoderOf(firstSeq).decode(rows, starts[place.index] ?? 0);
  }

  /** Blocks went: what was read of them is not worth looking for. */
  forget(): void {
    this.#decoders.clear();
    this.#parts.clear();
  }

  #decoderOf(firstSeq: number): RowDecoder {
    const cached = this.#decoders.get(firstSeq);
    if (cached) return cached;
    const row = this.sql.first<{ vocabulary: ArrayBuffer }>(
      'SELECT vocabulary FROM block_index WHERE first_seq = ?',
      [firstSeq],
    );
    if (!row) throw undecodable(`block ${firstSeq} has no vocabulary`);
    const decoder = new RowDecoder(new StoredVocabulary(inflateBytes(row.vocabulary)));
    this.#decoders.set(firstSeq, decoder);
    return decoder;
  }

  #partOf(id: number, count: number): StoredPart {
    const cached = this.#parts.get(id);
    if (cached) return cached;
    const row = this.sql.first<{ bytes: ArrayBuffer }>('SELECT bytes FROM block_parts WHERE id = ?', [id]);
    if (!row) throw undecodable(`part ${id} of the log is missing`);
    const part = unpackPart(bytesOf(row.bytes), count);
    this.#parts.set(id, part);
    return part;
  }
}
