import { type LoadPart, type LoadScope, type LoadSeries, loadPartKey } from '@/lib/load/load-series';

interface ScopeNames {
  readonly scope: LoadScope;
  readonly parts: Map<string, number>;
}

/** Numbers for series: the same one for the same, over restarts. At most so many; what is beyond has none. */
export class LoadNames {
  readonly #scopes = new Map<string, ScopeNames>();
  #count = 0;
  #lastId = 0;
  /** Since the last `takeNew`. */
  #new: { id: number; series: LoadSeries }[] = [];

  constructor(private readonly limit: number) {}

  /** What the file has. */
  restore(all: readonly { readonly id: number; readonly series: LoadSeries }[]): void {
    for (const { id, series } of all) {
      this.scopeOf(series.scope).parts.set(loadPartKey(series.part), id);
      this.#lastId = Math.max(this.#lastId, id);
      this.#count += 1;
    }
  }

  scopeOf(scope: LoadScope): ScopeNames {
    const { sourceId, clientId, clusterName, clusterServiceName, stream, isTimed } = scope;
    const key = `${isTimed ? 1 : 0}${stream}\u0000${sourceId}\u0000${clientId}\u0000${clusterName}\u0000${clusterServiceName}`;
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const names = { scope, parts: new Map<string, number>() };
    this.#scopes.set(key, names);
    return names;
  }

  /** undefined: there are too many already. */
  idOf({ scope, parts }: ScopeNames, part: LoadPart): number | undefined {
    const key = loadPartKey(part);
    const known = parts.get(key);
    if (known !== undefined) return known;
    if (this.#count >= this.limit) return undefined;
    this.#count += 1;
    const id = ++this.#lastId;
    parts.set(key, id);
    this.#new.push({ id, series: { scope, part } });
    return id;
  }

  takeNew(): readonly { readonly id: number; readonly series: LoadSeries }[] {
    const taken = this.#new;
    this.#new = [];
    return taken;
  }
}
