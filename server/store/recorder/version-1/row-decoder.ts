import type { Observation } from '@/lib/observation/observation';
import { rowConstants, rowTags, unzigzag } from './row-tags';
import type { StoredVocabulary } from './vocabulary';

/** The keys of objects of one shape, and an object that has them. */
interface Model {
  readonly keys: readonly string[];
  readonly object: Record<string, unknown>;
  /** True if objects are built by adding keys in order, which is faster than copying `object` if the keys are few. */
  readonly isAdded: boolean;
}

/** Shared by all decoders, because V8 copies objects of a new hidden class ten times as slowly. */
const models = new Map<string, Model>();
const maxSmall = 0x3fff_ffff;
const maxModels = 10_000;
/** V8 turns objects with more added keys into dictionaries. */
const maxAddedKeys = 14;

/** Decodes the rows of a RowEncoder. Equal texts of one vocabulary are one string in memory. */
export class RowDecoder {
  /** The index is the number of the shape. */
  readonly #models: Model[] = [];
  #bytes: Uint8Array = new Uint8Array(0);
  #offset = 0;
  #at = 0;

  constructor(readonly vocabulary: StoredVocabulary) {
    if (models.size > maxModels) models.clear();
  }

  decode(bytes: Uint8Array, from: number): Observation {
    this.#bytes = bytes;
    this.#offset = from;
    this.#at = this.vocabulary.baseAt + unzigzag(this.#varint());
    // RowEncoder encoded an Observation.
    return this.#value() as Observation;
  }

  #value(): unknown {
    const token = this.#varint();
    const isSmall = token <= maxSmall;
    const tag = isSmall ? token & 7 : token % 8;
    const number = isSmall ? token >> 3 : (token - tag) / 8;
    switch (tag) {
      case rowTags.text:
        return this.vocabulary.text(number);
      case rowTags.object:
        return this.#object(number);
      case rowTags.whole:
        return number;
      case rowTags.moment:
        return this.#at + unzigzag(number);
      case rowTags.constant:
        return this.#constant(number);
      case rowTags.list:
        return this.#list(number);
      case rowTags.thousandths:
        return unzigzag(number) / 1000;
      default:
        return JSON.parse(this.vocabulary.text(number));
    }
  }

  #constant(number: number): unknown {
    switch (number) {
      case rowConstants.null:
        return null;
      case rowConstants.true:
        return true;
      case rowConstants.false:
        return false;
      default: {
        const { buffer, byteOffset } = this.#bytes;
        const value = new DataView(buffer, byteOffset + this.#offset, 8).getFloat64(0, true);
        this.#offset += 8;
        return value;
      }
    }
  }

  #list(count: number): unknown[] {
    const values: unknown[] = [];
    for (let left = count; left > 0; left--) values.push(this.#value());
    return values;
  }

  #object(place: number): Record<string, unknown> {
    const { keys, object, isAdded } = this.#models[place] ?? this.#modelAt(place);
    const made: Record<string, unknown> = isAdded ? {} : { ...object };
    for (let index = 0; index < keys.length; index++) made[keys[index] ?? ''] = this.#value();
    return made;
  }

  #modelAt(place: number): Model {
    const keys = this.vocabulary.shapes[place];
    if (keys === undefined) throw new RangeError(`row: expected a known shape, got ${place}`);
    const model = modelOf(keys);
    this.#models[place] = model;
    return model;
  }

  #varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#offset++];
    if (byte === undefined) throw new RangeError(`row: expected more than ${bytes.length} bytes`);
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let factor = 0x80;
    do {
      byte = bytes[this.#offset++];
      if (byte === undefined) throw new RangeError(`row: expected more than ${bytes.length} bytes`);
      value += (byte & 0x7f) * factor;
      factor *= 0x80;
    } while (byte >= 0x80);
    return value;
  }
}

function modelOf(keys: readonly string[]): Model {
  const name = JSON.stringify(keys);
  const known = models.get(name);
  if (known !== undefined) return known;
  const object: Record<string, unknown> = {};
  for (const key of keys) {
    // An assignment would set the prototype.
    if (key === '__proto__') Object.defineProperty(object, key, { ...fieldOptions });
    else object[key] = null;
  }
  // Object.keys() returns interned strings, which V8 compares without looking them up.
  const isAdded = keys.length <= maxAddedKeys && !keys.includes('__proto__');
  const model = { keys: Object.keys(object), object, isAdded };
  models.set(name, model);
  return model;
}

const fieldOptions = { value: null, writable: true, enumerable: true, configurable: true };
