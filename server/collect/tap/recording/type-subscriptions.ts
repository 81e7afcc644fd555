import { findCollection, isCollection } from '@/lib/xds/resource-name';

export interface Wants {
  wildcard: boolean;
  names: ReadonlySet<string>;
}

/** Limits the known aliases. The oldest are forgotten. */
const maxAliases = 100_000;

/** The subscriptions of a client's open streams that have requested one type. */
export class TypeSubscriptions {
  readonly #typeUrl: string;
  readonly #streams = new Set<Wants>();
  /** The name of the resource by alias, and the aliases by name. */
  readonly #canonical = new Map<string, string>();
  readonly #aliases = new Map<string, readonly string[]>();

  constructor(typeUrl: string) {
    this.#typeUrl = typeUrl;
  }

  add(wants: Wants): void {
    this.#streams.add(wants);
  }

  remove(wants: Wants): void {
    this.#streams.delete(wants);
  }

  /** A response states that requests for these names are answered by the resource. */
  addAliases(name: string, aliases: readonly string[]): void {
    for (const alias of aliases) this.#canonical.set(alias, name);
    this.#aliases.set(name, aliases);
    for (const [oldest, others] of this.#aliases) {
      if (this.#canonical.size <= maxAliases) break;
      this.#aliases.delete(oldest);
      for (const alias of others) this.#canonical.delete(alias);
    }
  }

  /** The name of the resource that answers requests for this name, if it is an alias. */
  findCanonical(alias: string): string | undefined {
    return this.#canonical.get(alias);
  }

  /** Returns whether another stream of the client requests the type, so that this subscription is not complete. */
  isShared(wants: Wants): boolean {
    return this.#streams.size > (this.#streams.has(wants) ? 1 : 0);
  }

  /** Returns whether a stream subscribes to the resource: by its name, an alias, a collection or the wildcard. */
  isWanted(name: string): boolean {
    for (const wants of this.#streams) if (wants.wildcard || this.#covers(wants, name)) return true;
    return false;
  }

  /** Returns whether a stream subscribes to this resource alone, and not only to a collection. */
  isNamed(name: string): boolean {
    for (const { names } of this.#streams) if (names.has(name)) return !isCollection(this.#typeUrl, name);
    return false;
  }

  /** Returns whether the stream with this subscription receives the resource, rather than another stream. */
  isOf(wants: Wants, name: string): boolean {
    return this.#covers(wants, name) || (wants.wildcard && !this.isNamed(name)) || !this.isWanted(name);
  }

  #covers({ names }: Wants, name: string): boolean {
    if (names.has(name)) return true;
    const collection = findCollection(this.#typeUrl, name);
    if (collection !== undefined && names.has(collection)) return true;
    return this.#aliases.get(name)?.some((alias) => names.has(alias)) === true;
  }
}
