import protobuf from 'protobufjs';

/** What the first line of protos/generated/types.txt says. */
interface TypesHead {
  /** Types of the v2 API by full name, with the v3 type that came from them. */
  readonly previous: Readonly<Record<string, string>>;
  /** By full name of a type: the names of what extends it. */
  readonly extensions: Readonly<Record<string, readonly string[]>>;
}

type Reported = protobuf.IType | protobuf.IEnum | protobuf.IService | protobuf.IExtensionField;

/**
 * Types that are made when somebody looks one up, together with all that they refer to: who holds a type has it whole,
 * as if all were there. A thread needs a fifth of them, and all take 0.4 s of its processor. MUTABLE: grows.
 */
export class LazyRoot extends protobuf.Root {
  readonly previous: TypesHead['previous'];
  readonly #extensions: TypesHead['extensions'];
  /** By full name, as JSON: what was not asked for yet. */
  readonly #waiting = new Map<string, string>();
  #isBuilding = false;

  /** `text`: as protos/write-types.mjs makes it. */
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

  /** Names of those that were not asked for yet, without what is inside them. */
  get waiting(): Iterable<string> {
    return this.#waiting.keys();
  }

  /** As protobufjs looks up, once what the path names in full is there. */
  override lookup(path: string | string[], filterTypes?: unknown, parentAlreadyChecked?: boolean) {
    if (!this.#isBuilding) this.make(typeof path === 'string' ? path : path.join('.'));
    return super.lookup(path, filterTypes as never, parentAlreadyChecked);
  }

  /** Makes a type, with or without its leading dot, or the one that it is inside of; nothing where there is none. */
  make(path: string): void {
    const name = this.#findWaiting(path.startsWith('.') ? path.slice(1) : path);
    if (name !== undefined) this.#buildAll([name]);
  }

  /** Makes every type. */
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

  /** `needed` is called with what it refers to. */
  #build(name: string, needed: string[]): void {
    const json: Reported & Referring = JSON.parse(this.#waiting.get(name) ?? '');
    this.#waiting.delete(name);
    // protobufjs remembers where it looked for what is extended, and found nothing.
    const extended = json.extend === undefined ? undefined : this.#findWaiting(json.extend.slice(1));
    if (extended !== undefined) this.#build(extended, needed);
    const dot = name.lastIndexOf('.');
    const scope = dot === -1 ? this : this.define(name.slice(0, dot));
    scope.addJSON({ [name.slice(dot + 1)]: json });
    collectNeeded(json, needed);
    // What extends it finds it now.
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

/** Names of types are reported in full: they alone begin with a dot. */
function collectNeeded(reported: Referring, needed: string[]): void {
  const { fields = {}, methods = {}, nested = {}, type = '' } = reported;
  const add = (name: string): void => {
    if (name.startsWith('.')) needed.push(name.slice(1));
  };
  add(type);
  for (const field of Object.values(fields)) add(field.type);
  for (const { requestType, responseType } of Object.values(methods)) {
    add(requestType);
    add(responseType);
  }
  for (const inner of Object.values(nested)) collectNeeded(inner, needed);
}
