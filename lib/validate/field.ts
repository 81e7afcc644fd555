const usualHost = 'type.googleapis.com/';
const noPaths: readonly string[] = [];

/**
 * One place in proto3 JSON and its path. An absent value is also a Field, so that a rule can name it. A field without
 * presence that is explicitly zero is absent from the bytes and from the JSON; wrappers and members of oneofs keep
 * zeros.
 */
export class Field {
  readonly #parent?: Field;
  readonly #step: string;

  constructor(
    readonly value: unknown,
    parent?: Field,
    step = '',
  ) {
    this.#parent = parent;
    this.#step = step;
  }

  /**
   * A path such as "endpoints[0].locality"; '' for the resource itself. Built on demand, because most paths are never
   * read.
   */
  get path(): string {
    const before = this.#parent?.path ?? '';
    return before === '' || this.#step.startsWith('[') ? before + this.#step : `${before}.${this.#step}`;
  }

  at(name: string): Field {
    const value = isRecord(this.value) && Object.hasOwn(this.value, name) ? this.value[name] : undefined;
    return new Field(value, this, name);
  }

  /** in("a", "b") is at("a").at("b"). */
  in(...names: string[]): Field {
    return names.reduce<Field>((field, name) => field.at(name), this);
  }

  /** The same place with another value. Used for the key of a map entry. */
  withValue(value: unknown): Field {
    return new Field(value, this.#parent, this.#step);
  }

  get exists(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  items(): Field[] {
    if (!Array.isArray(this.value)) return [];
    return this.value.map((item: unknown, index) => new Field(item, this, `[${index}]`));
  }

  entries(): [key: string, field: Field][] {
    if (!isRecord(this.value)) return [];
    return Object.entries(this.value).map(([key, value]) => [
      key,
      new Field(value, this, `[${JSON.stringify(key)}]`),
    ]);
  }

  names(): readonly string[] {
    return isRecord(this.value) ? Object.keys(this.value) : noPaths;
  }

  get text(): string {
    return typeof this.value === 'string' ? this.value : '';
  }

  /** Reads 64-bit integers from decimal strings. Returns `fallback` if the value is absent or not a number. */
  numberOr(fallback: number): number {
    if (typeof this.value === 'number') return this.value;
    return typeof this.value === 'string' && /^-?\d+(\.\d+)?$/.test(this.value)
      ? Number(this.value)
      : fallback;
  }

  get isTrue(): boolean {
    return this.value === true;
  }

  /** The message name of an Any; for a TypedStruct, the message name inside it. "" if there is none. */
  get typeName(): string {
    const outer = messageName(this.at('@type').text);
    return isTypedStruct(outer) ? messageName(this.at('typeUrl').text) : outer;
  }

  /**
   * The message name for clients that compare whole type URLs: a URL with a host other than type.googleapis.com is an
   * unknown name to them.
   */
  get wholeTypeName(): string {
    const outer = this.at('@type').text;
    const url = this.isTypedStruct ? this.at('typeUrl').text : outer;
    return url.startsWith(usualHost) ? url.slice(usualHost.length) : url;
  }

  get isTypedStruct(): boolean {
    return isTypedStruct(messageName(this.at('@type').text));
  }

  /** The reason why the codec could not decode the value of an Any of a known type. */
  get unreadable(): string | undefined {
    const reason = this.in('xdscope.opaque', 'reason').text;
    return reason.startsWith('not a valid') ? reason : undefined;
  }

  /** The value for an error message, cut to a maximum length. */
  show(): string {
    if (!this.exists) return 'nothing';
    const text = JSON.stringify(this.value);
    return text.length > 80 ? `${text.slice(0, 79)}…` : text;
  }
}

function messageName(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
}

function isTypedStruct(name: string): boolean {
  return name === 'xds.type.v3.TypedStruct' || name === 'udpa.type.v1.TypedStruct';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
