import type { SizeSort } from '@/lib/view-model/sizes/size-sorts';

/** What is looked at: all clients, one, a type of it, a resource of that. */
export interface SizesPlace {
  readonly client: string;
  readonly type: string;
  readonly name: string;
  readonly filter: string;
  readonly sort: SizeSort;
}

export function sizesHref({ client, type, name, filter, sort }: SizesPlace): string {
  const search = new URLSearchParams();
  const order = sort === 'bytes' ? '' : sort;
  for (const [key, value] of Object.entries({ client, type, name, q: filter, sort: order })) {
    if (value !== '') search.set(key, value);
  }
  return search.size === 0 ? '/clients/sizes' : `/clients/sizes?${search}`;
}
