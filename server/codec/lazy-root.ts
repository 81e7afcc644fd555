import protobuf from 'protobufjs';

/** The first line of protos/generated/types.txt. */
interface TypesHead {
  /** The v3 twins of v2 types, by full name. */
  readonly previous: Readonly<Record<string, string>>;
  /** The names of the extensions of a type, by its full name. */
  readonly extensions: Readonly<Record<string, readonly string[]>>;
}

type TypeJson = protobuf.IType | protobuf.IEnum | protobuf.IService | protobuf.IExtensionField;

/**
 * A root that builds a type, and all types that it refers to, at its first lookup. A thread needs a fifth of the types,
 * and building all of them takes 0.4 s of CPU time.
 */
export class LazyRoot extends protobuf.Root {
  readonly previous: TypesHead['previous'];
  readonly #extensions: TypesHead['extensions'];
  /** JSON of the types that are not built yet, by full name. */
  readonly #waiting = new Map<string, string>();
  #isBuilding = false;

  /** `text` is the output of protos/write-types.mjs. */
  constructor(text: string) {
    super();
    const [head = '', ...lines] = text.split('\n');
    const { previous, extensions }: TypesHead = JSON.parse(head);
    this.previous = previous;
    this.#extensions = extensions;
    for (const line of lines) {
      const blank = line.indexOf(' ');
      this.#waiting.set(line.slice(0, blank), line.slice(blank + 1));
    }
  }

  /** Names of the types that are not built yet, without nested types. */
  get waiting(): Iterable<string> {
    return this.#waiting.keys();
  }

  /** Builds the type that a full path names before the lookup. */
  override lookup(path: string | string[], filterTypes?: unknown, parentAlreadyChecked?: boolean) {
    if (!this.#isBuilding) this.make(typeof path === 'string' ? path : path.join('.'));
    return super.lookup(path, filterTypes as never, parentAlreadyChecked);
  }

  /** Builds a type (its leading dot is optional) or the type that contains it. Does nothing for an unknown name. */
  make(path: string): void {
    const name = this.#findWaiting(path.startsWith('.') ? path.slice(1) : path);
    if (name !== undefined) this.#buildAll([name]);
  }

  makeAll(): void {
    this.#buildAll([...this.#waiting.keys()]);
  }

  #buildAll(names: string[]): void {
    this.#isBuilding = true;
    try {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        const waiting = this.#findWaiting(name);
        if (waiting !== undefined) this.#build(waiting, names);
      }
      this.resolveAll();
    } finally {
      this.#isBuilding = false;
    }
  }

  #findWaiting(name: string): string | undefined {
    for (let end = name.length; end > 0; end = name.lastIndexOf('.', end - 1)) {
      const outer = name.slice(0, end);
      if (this.#waiting.has(outer)) return outer;
    }
    return undefined;
  }

  /** Appends the names of the types to which the type refers to `needed`. */
  #build(name: string, needed: string[]): void {
    const json: TypeJson & Referring = JSON.parse(this.#waiting.get(name) ?? '');
    this.#waiting.delete(name);
    // protobufjs caches a failed lookup of an extended type, so that this type is built first.
    const extended = json.extend === undefined ? undefined : this.#findWaiting(json.extend.slice(1));
    if (extended !== undefined) this.#build(extended, needed);
    const dot = name.lastIndexOf('.');
    const scope = dot === -1 ? this : this.define(name.slice(0, dot));
    scope.addJSON({ [name.slice(dot + 1)]: json });
    collectReferences(json, needed);
    // Extensions can be resolved from now on.
    needed.push(...(this.#extensions[name] ?? []));
  }
}

interface Referring {
  readonly fields?: Readonly<Record<string, { readonly type: string }>>;
  readonly methods?: Readonly<
    Record<string, { readonly requestType: string; readonly responseType: string }>
  >;
  readonly nested?: Readonly<Record<string, Referring>>;
  readonly type?: string;
  readonly extend?: string;
}

/** Type names are fully qualified: unlike scalar types, they begin with a dot. */
function collectReferences(json: Referring, needed: string[]): void {
  const { fields = {}, methods = {}, nested = {}, type = '' } = json;
  const add = (name: string): void => {
    if (name.startsWith('.')) needed.push(name.slice(1));
  };
  add(type);
  for (const field of Object.values(fields)) add(field.type);
  for (const { requestType, responseType } of Object.values(methods)) {
    add(requestType);
    add(responseType);
  }
  for (const inner of Object.values(nested)) collectReferences(inner, needed);
}
