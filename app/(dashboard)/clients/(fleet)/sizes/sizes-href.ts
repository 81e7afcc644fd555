/** What is looked at: all clients, one, a type of it, a resource of that. */
export interface SizesPlace {
  readonly client: string;
  readonly type: string;
  readonly name: string;
  readonly filter: string;
}

export function sizesHref({ client, type, name, filter }: SizesPlace): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries({ client, type, name, q: filter })) {
    if (value !== '') search.set(key, value);
  }
  return search.size === 0 ? '/clients/sizes' : `/clients/sizes?${search}`;
}
