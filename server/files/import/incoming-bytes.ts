import type { ByteSource } from '../../codec/dump-parser/byte-source';
import type { UploadChunks } from './upload-channel';

/** Initial size of the buffer if the size was not announced. */
const firstBytes = 1024 * 1024;

/** A document that is read while it arrives. MUTABLE: grows. */
export class IncomingBytes implements ByteSource {
  readonly #chunks: UploadChunks;
  readonly #onGrown: (bytes: Uint8Array) => void;

  #bytes: Uint8Array;
  #length = 0;

  constructor(
    chunks: UploadChunks,
    sizeBytes: number | null,
    /** Called with all bytes that have arrived, whenever there are more. */
    onGrown: (bytes: Uint8Array) => void,
  ) {
    this.#chunks = chunks;
    this.#onGrown = onGrown;

    this.#bytes = new Uint8Array(sizeBytes ?? firstBytes);
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  grow(): boolean {
    const chunk = this.#chunks.next();
    if (chunk === undefined) return false;
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
    this.#onGrown(this.#bytes.subarray(0, length));
    return true;
  }
}
