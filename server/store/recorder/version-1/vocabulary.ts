import { ByteReader } from '../../../codec/byte-writer';
import { undecodable } from '../damaged-file';
import { rowTags } from './row-tags';

const format = 1;

/** A decoded vocabulary, whose texts are sliced on demand. */
export class StoredVocabulary {
  readonly baseAt: number;
  readonly shapes: readonly (readonly string[])[];
  readonly #all: string;
  readonly #ends: Uint32Array;
  readonly #texts: string[];

  constructor(readonly bytes: Uint8Array) {
    const reader = new ByteReader(bytes);
    const found = reader.varint();
    if (found !== format) throw undecodable(`vocabulary: expected format ${format}, got ${found}`);
    this.baseAt = reader.varint();
    const shapes: number[][] = [];
    for (let left = reader.varint(); left > 0; left--) {
      const keys: number[] = [];
      for (let more = reader.varint(); more > 0; more--) keys.push(reader.varint());
      shapes.push(keys);
    }
    this.#ends = new Uint32Array(reader.varint());
    let end = 0;
    for (let place = 0; place < this.#ends.length; place++) {
      end += reader.varint();
      this.#ends[place] = end;
    }
    this.#all = reader.text();
    this.#texts = new Array<string>(this.#ends.length);
    this.shapes = shapes.map((keys) => keys.map((key) => this.textOfToken(key)));
  }

  /** Returns the text of a token with the tag `text` or `escaped`. */
  textOfToken(token: number): string {
    const tag = token % 8;
    const text = this.text((token - tag) / 8);
    return tag === rowTags.escaped ? JSON.parse(text) : text;
  }

  text(place: number): string {
    const known = this.#texts[place];
    if (known !== undefined) return known;
    const end = this.#ends[place];
    if (end === undefined)
      throw new RangeError(`vocabulary: expected a place below ${this.#ends.length}, got ${place}`);
    const text = this.#all.slice(place === 0 ? 0 : this.#ends[place - 1], end);
    this.#texts[place] = text;
    return text;
  }
}
