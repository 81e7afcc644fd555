import type { ResourceKey } from '@/lib/observation/resource-state';
import { Authority } from './authority';

export interface NamesOfType {
  readonly authority: Authority;
  readonly typeUrl: string;
  readonly names: string[];
}

/** Groups names by authority and type. Names for which `find` returns a reason instead of an authority are omitted. */
export function groupByAuthority(
  keys: readonly ResourceKey[],
  find: (key: ResourceKey) => Authority | string,
): NamesOfType[] {
  const groups = new Map<Authority, Map<string, NamesOfType>>();
  for (const key of keys) {
    const authority = find(key);
    if (!(authority instanceof Authority)) continue;
    const { typeUrl, name } = key;
    const byType = groups.get(authority) ?? new Map<string, NamesOfType>();
    const group = byType.get(typeUrl);
    if (group !== undefined) group.names.push(name);
    else groups.set(authority, byType.set(typeUrl, { authority, typeUrl, names: [name] }));
  }
  return [...groups.values()].flatMap((byType) => [...byType.values()]);
}
