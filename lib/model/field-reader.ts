/** Maximum number of notes. A hostile body of 16 MB could otherwise cause a million of them. */
const maxNotes = 50;

/**
 * Reads proto3 JSON of unknown shape. A field of the wrong type reads as absent and adds a note with its path, the
 * expected and the actual type. Absent fields have proto defaults: "", false, [] or undefined. Never throws. MUTATES the
 * list of notes that it was created with.
 */
export class FieldReader {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #notes: string[];
  readonly #parent: FieldReader | null;
  readonly #key: string;

  /** Paths are built only when a note is written, because most bodies need none. */
  private constructor(
    fields: Readonly<Record<string, unknown>>,
    notes: string[],
    parent: FieldReader | null,
    key: string,
  ) {
    this.#fields = fields;
    this.#notes = notes;
    this.#parent = parent;
    this.#key = key;
  }

  static open(json: unknown, notes: string[]): FieldReader {
    const reader = new FieldReader(isRecord(json) ? json : {}, notes, null, '');
    if (!isRecord(json)) reader.note('', `expected an object, got ${typeName(json)}`);
    return reader;
  }

  /** The whole JSON object. */
  get json(): Readonly<Record<string, unknown>> {
    return this.#fields;
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  string(name: string): string {
    const value = this.#value(name);
    if (value === undefined) return '';
    if (typeof value === 'string') return value;
    this.#expected('a string', name, value);
    return '';
  }

  /** Enum values are decoded as names; a value that the descriptors lack is decoded as its number. */
  enumName(name: string, fallback: string): string {
    const value = this.#value(name);
    if (value === undefined) return fallback;
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number') return String(value);
    this.#expected('an enum name', name, value);
    return fallback;
  }

  /** Reads 64-bit integers from decimal strings. undefined if absent. */
  number(name: string): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
    this.#expected('a number', name, value);
    return undefined;
  }

  boolean(name: string): boolean {
    const value = this.#value(name);
    if (value === undefined) return false;
    if (typeof value === 'boolean') return value;
    this.#expected('true or false', name, value);
    return false;
  }

  object(name: string): FieldReader | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (isRecord(value)) return new FieldReader(value, this.#notes, this, name);
    this.#expected('an object', name, value);
    return undefined;
  }

  objects(name: string): FieldReader[] {
    const readers: FieldReader[] = [];
    this.#list(name).forEach((item, index) => {
      const key = `${name}[${index}]`;
      if (isRecord(item)) readers.push(new FieldReader(item, this.#notes, this, key));
      else this.#expected('an object', key, item);
    });
    return readers;
  }

  strings(name: string): string[] {
    const strings: string[] = [];
    this.#list(name).forEach((item, index) => {
      if (typeof item === 'string') strings.push(item);
      else this.#expected('a string', `${name}[${index}]`, item);
    });
    return strings;
  }

  /** The message name of an unpacked google.protobuf.Any, such as "envoy.config.cluster.v3.Cluster"; else "". */
  messageName(): string {
    const typeUrl = this.string('@type');
    return typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
  }

  note(name: string, text: string): void {
    if (this.#notes.length > maxNotes) return;
    const note = `${this.#pathTo(name) || 'the resource'}: ${text}`;
    if (this.#notes.includes(note)) return;
    this.#notes.push(this.#notes.length === maxNotes ? 'further problems are not listed' : note);
  }

  #value(name: string): unknown {
    const value = this.#fields[name];
    return value === null ? undefined : value;
  }

  #list(name: string): readonly unknown[] {
    const value = this.#value(name);
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.#expected('a list', name, value);
    return [];
  }

  #expected(what: string, name: string, value: unknown): void {
    this.note(name, `expected ${what}, got ${typeName(value)}`);
  }

  #pathTo(name: string): string {
    const own = this.#parent === null ? this.#key : this.#parent.#pathTo(this.#key);
    return own === '' || name === '' ? own + name : `${own}.${name}`;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}
