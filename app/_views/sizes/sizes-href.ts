import { autoSizeGroup, type SizeSort } from '@/lib/fleet/size-group';

/** One level of the size view: all clients, a client, one of its types, or a resource. */
export interface SizesPlace {
  readonly client: string;
  readonly type: string;
  readonly name: string;
  readonly filter: string;
  /** Applies to all clients. */
  readonly group: string;
  readonly sort: SizeSort;
}

export function sizesHref({ client, type, name, filter, group, sort }: SizesPlace): string {
  const search = new URLSearchParams();
  const order = sort === 'bytes' ? '' : sort;
  const by = group === autoSizeGroup ? '' : group;
  for (const [key, value] of Object.entries({ client, type, name, q: filter, group: by, sort: order })) {
    if (value !== '') search.set(key, value);
  }
  return search.size === 0 ? '/clients/sizes' : `/clients/sizes?${search}`;
}
