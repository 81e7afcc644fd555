import type { Locality } from '@/lib/observation/observation';
import { type ShopBackend, shopBackends } from './shop-backends';

/** A LocalityLbEndpoints of the shop. */
export interface ShopLocality {
  readonly key: string;
  /** The ClusterLoadAssignment that lists it. */
  readonly assignment: string;
  readonly priority: number;
  readonly locality: Locality;
  readonly backends: readonly ShopBackend[];
}

export const shopLocalities: readonly ShopLocality[] = groupBackends();

export const shopAssignments: readonly string[] = [
  ...new Set(shopLocalities.map(({ assignment }) => assignment)),
];

function groupBackends(): ShopLocality[] {
  const groups = new Map<string, ShopLocality & { readonly backends: ShopBackend[] }>();
  for (const backend of shopBackends) {
    const { assignment, priority, locality } = backend;
    const key = `${assignment} P${priority} ${locality.zone}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { key, assignment, priority, locality, backends: [backend] });
    else group.backends.push(backend);
  }
  return [...groups.values()];
}
