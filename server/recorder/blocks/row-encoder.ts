import type { Observation } from '@/lib/observation/observation';
import { rowConstants, rowTags, zigzag } from './row-tags';
import { type Shape, ShapeNode } from './shape-tree';
import { encodeVocabulary } from './vocabulary';

const firstSize = 64 * 1024;
/** A varint of 53 bits takes 8 bytes; a tag and a double take 9. */
const maxTokenBytes = 9;
/** Estimated bytes of the entries that a text has in a map and in a list. */
const textOverhead = 60;
/** V8 stores larger numbers on the heap. */
const maxSmall = 0x3fff_ffff;
const doubleBytes = new DataView(new ArrayBuffer(8));

/**
 * Encodes observations as rows (row-tags.ts). Fields without a value are left out, as in JSON, and so is the seq, which
 * follows from the row's position. If add() throws, which it does where JSON.stringify() would, nothing was added.
 */
export class RowEncoder {
  readonly #newRoom: (size: number) => Buffer;

  readonly #tokens = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #shapes: Shape[] = [];
  readonly #noKeys = new ShapeNode();
  #bytes: Buffer;
  /** Number of bytes of the complete rows. */
  #length = 0;
  #offset = 0;
  #vocabularyBytes = 0;
  #baseAt = -1;
  #at = 0;

  /** The encoder writes into `room`, and calls `newRoom` when it needs a larger buffer. */
  constructor(room?: Buffer, newRoom: (size: number) => Buffer = Buffer.allocUnsafe) {
    this.#newRoom = newRoom;

    this.#bytes = room ?? newRoom(firstSize);
  }

  get length(): number {
    return this.#length;
  }

  /** Estimated size in memory. */
  get vocabularyBytes(): number {
    return this.#vocabularyBytes;
  }

  get room(): Buffer {
    return this.#bytes;
  }

  add(observation: Observation): void {
    this.#offset = this.#length;
    this.#at = Math.max(0, Math.floor(observation.at)) || 0;
    if (this.#baseAt < 0) this.#baseAt = this.#at;
    this.#varint(zigzag(this.#at - this.#baseAt));
    this.#object(observation, true);
    this.#length = this.#offset;
  }

  /** Returns a view of the buffer, which is valid until the next add(). */
  rows(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Returns the vocabulary and drops it; no row may be added afterwards. */
  seal(): Uint8Array {
    const vocabulary = this.vocabulary();
    this.#tokens.clear();
    this.#texts.length = 0;
    this.#shapes.length = 0;
    return vocabulary;
  }

  vocabulary(): Uint8Array {
    const shapes = this.#shapes.map(({ keyTokens }) => keyTokens);
    return encodeVocabulary({ baseAt: Math.max(0, this.#baseAt), texts: this.#texts, shapes });
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.#varint(this.#tokenOf(value));
        return;
      case 'number':
        this.#number(value);
        return;
      case 'boolean':
        this.#constant(value ? rowConstants.true : rowConstants.false);
        return;
      case 'object':
        if (value === null) this.#constant(rowConstants.null);
        else if (Array.isArray(value)) this.#list(value);
        else this.#object(value as Record<string, unknown>, false);
        return;
      case 'undefined':
        this.#constant(rowConstants.null);
        return;
      default:
        throw new TypeError(`row: expected a JSON value, got a ${typeof value}`);
    }
  }

  #number(value: number): void {
    const since = value - this.#at;
    if (since > -0x8000_0000 && since < 0x8000_0000 && Number.isInteger(value) && this.#at > 0) {
      this.#varint(zigzag(since) * 8 + rowTags.moment);
    } else if (Number.isInteger(value) && value >= 0 && value < 2 ** 50) {
      this.#varint(value * 8 + rowTags.whole);
    } else {
      const thousandths = Math.round(value * 1000);
      if (Math.abs(thousandths) < 2 ** 48 && thousandths / 1000 === value) {
        this.#varint(zigzag(thousandths) * 8 + rowTags.thousandths);
      } else if (Number.isFinite(value)) {
        this.#double(value);
      } else {
        this.#constant(rowConstants.null);
      }
    }
  }

  #double(value: number): void {
    this.#constant(rowConstants.double);
    doubleBytes.setFloat64(0, value, true);
    for (let index = 0; index < 8; index++) this.#bytes[this.#offset++] = doubleBytes.getUint8(index);
  }

  #list(values: readonly unknown[]): void {
    this.#varint(values.length * 8 + rowTags.list);
    for (const value of values) this.#value(value);
  }

  #object(value: object, isWhole: boolean): void {
    const fields = value as Record<string, unknown>;
    let node = this.#noKeys;
    for (const key in fields) {
      if (fields[key] === undefined || (isWhole && key === 'seq')) continue;
      node = node.after(key);
    }
    const shape = node.shape ?? this.#newShape(node, fields, isWhole);
    this.#varint(shape.place * 8 + rowTags.object);
    for (const key of shape.keys) this.#value(fields[key]);
  }

  #newShape(node: ShapeNode, fields: Record<string, unknown>, isWhole: boolean): Shape {
    const keys: string[] = [];
    for (const key in fields) {
      if (fields[key] !== undefined && !(isWhole && key === 'seq')) keys.push(key);
    }
    const keyTokens = keys.map((key) => this.#tokenOf(key));
    const shape = { place: this.#shapes.length, keys, keyTokens };
    node.shape = shape;
    this.#shapes.push(shape);
    return shape;
  }

  #tokenOf(text: string): number {
    const known = this.#tokens.get(text);
    if (known !== undefined) return known;
    const isEscaped = loneSurrogate.test(text);
    const place = this.#texts.push(isEscaped ? JSON.stringify(text) : text) - 1;
    const token = place * 8 + (isEscaped ? rowTags.escaped : rowTags.text);
    this.#tokens.set(text, token);
    this.#vocabularyBytes += text.length + textOverhead;
    return token;
  }

  #constant(constant: number): void {
    this.#varint(constant * 8 + rowTags.constant);
  }

  /** Reserves space for a double behind the varint. */
  #varint(value: number): void {
    if (this.#offset + 2 * maxTokenBytes > this.#bytes.length) this.#grow();
    const bytes = this.#bytes;
    let offset = this.#offset;
    let left = value;
    while (left > maxSmall) {
      bytes[offset++] = (left % 0x80) | 0x80;
      left = Math.floor(left / 0x80);
    }
    while (left >= 0x80) {
      bytes[offset++] = (left & 0x7f) | 0x80;
      left >>= 7;
    }
    bytes[offset++] = left;
    this.#offset = offset;
  }

  #grow(): void {
    const grown = this.#newRoom(this.#bytes.length * 2);
    grown.set(this.#bytes.subarray(0, this.#offset));
    this.#bytes = grown;
  }
}

const loneSurrogate = /[\ud800-\udfff]/u;
