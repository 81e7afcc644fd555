import type { ResourceKey } from '@/lib/observation/resource-state';
import { isNewStyleName, parseResourceNameOf } from '@/lib/xds/resource-name';
import { Authority } from './authority';

interface NamesOfType {
  readonly authority: Authority;
  readonly typeUrl: string;
  readonly names: string[];
}

/** The authorities of a client, of which each name has one (gRFC A47). */
export class Authorities {
  readonly #topLevel: Authority;
  readonly #byName: ReadonlyMap<string | null, Authority>;
  /** The top-level authority comes first. */
  readonly all: readonly Authority[];

  constructor(topLevel: Authority, others: readonly Authority[]) {
    this.#topLevel = topLevel;
    this.#byName = new Map(others.map((authority) => [authority.name, authority]));
    this.all = [topLevel, ...others];
  }

  /** Returns the authority, or the reason why there is none. */
  find(typeUrl: string, name: string): Authority | string {
    // Most names are old-style; this avoids parsing them.
    if (!isNewStyleName(name)) return this.#topLevel;
    const parsed = parseResourceNameOf(typeUrl, name);
    if (!parsed.ok) return parsed.message;
    if (parsed.name.kind === 'old-style') return this.#topLevel;
    const { authority } = parsed.name;
    return (
      this.#byName.get(authority) ??
      `expected an authority of the bootstrap (${[...this.#byName.keys()].join(', ') || 'it has none'}), got "${authority}"`
    );
  }

  isTopLevel(typeUrl: string, name: string): boolean {
    return !isNewStyleName(name) || !(this.find(typeUrl, name) instanceof Authority);
  }

  /** Groups names by authority and type. Names without an authority are omitted. */
  group(keys: readonly ResourceKey[]): NamesOfType[] {
    const groups = new Map<Authority, Map<string, NamesOfType>>();
    for (const { typeUrl, name } of keys) {
      const authority = this.find(typeUrl, name);
      if (!(authority instanceof Authority)) continue;
      const byType = groups.get(authority) ?? new Map<string, NamesOfType>();
      const group = byType.get(typeUrl);
      if (group !== undefined) group.names.push(name);
      else groups.set(authority, byType.set(typeUrl, { authority, typeUrl, names: [name] }));
    }
    return [...groups.values()].flatMap((byType) => [...byType.values()]);
  }
}
