import { LRUCache } from 'lru-cache';
import type { Observation } from '@/lib/observation/observation';
import { inflateBytes } from '../deflate';
import type { BlockStore } from '../storage/immutable-stores';
import { maxBlockRows } from './block-builder';
import { type StoredPart, unpackPart } from './block-parts';
import type { LogBlock } from './log-block';
import { RowDecoder } from './row-decoder';
import { StoredVocabulary } from './vocabulary';

const cachedPartBytes = 16 * 1024 * 1024;
const cachedVocabularyBytes = 16 * 1024 * 1024;

export class BlockRows {
  readonly #blocks: Pick<BlockStore, 'readPiece' | 'readPart'>;

  /** The key is the firstSeq of the block. */
  readonly #decoders = new LRUCache<number, RowDecoder>({
    maxSize: cachedVocabularyBytes,
    sizeCalculation: ({ vocabulary }) => vocabulary.sizeBytes,
  });
  readonly #parts = new LRUCache<number, StoredPart>({
    maxSize: cachedPartBytes,
    sizeCalculation: ({ rows, starts }) => rows.length + 4 * starts.length + 200,
  });

  constructor(blocks: Pick<BlockStore, 'readPiece' | 'readPart'>) {
    this.#blocks = blocks;
  }

  observation(firstSeq: number, block: LogBlock, index: number): Observation {
    const place = block.placeOf(index);
    const { rows, starts } = this.#partOf(firstSeq, place.part, block.partCounts[place.part] ?? 0);
    return this.#decoderOf(firstSeq).decode(rows, starts[place.index] ?? 0);
  }

  /** Must be called after blocks were deleted. */
  forget(): void {
    this.#decoders.clear();
    this.#parts.clear();
  }

  #decoderOf(firstSeq: number): RowDecoder {
    const cached = this.#decoders.get(firstSeq);
    if (cached) return cached;
    const vocabulary = inflateBytes(this.#blocks.readPiece(firstSeq, 'vocabulary'));
    const decoder = new RowDecoder(new StoredVocabulary(vocabulary));
    this.#decoders.set(firstSeq, decoder);
    return decoder;
  }

  #partOf(firstSeq: number, part: number, count: number): StoredPart {
    const key = firstSeq * maxBlockRows + part;
    const cached = this.#parts.get(key);
    if (cached) return cached;
    const read = unpackPart(this.#blocks.readPart(firstSeq, part), count);
    this.#parts.set(key, read);
    return read;
  }
}
