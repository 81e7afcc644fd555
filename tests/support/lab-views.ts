import type { ResourceView, StoredResource } from '@/server/lab/management-server/snapshot-store';

/** Resources of one type by name. Equal names and versions are the same object, like in the store. */
export function viewBuilder(typeUrl: string): (versions: Record<string, string>) => ResourceView {
  const made = new Map<string, StoredResource>();
  const resourceOf = (name: string, version: string): StoredResource => {
    const key = `${name}@${version}`;
    const resource = made.get(key) ?? { typeUrl, name, version, bytes: Buffer.from(key) };
    made.set(key, resource);
    return resource;
  };
  return (versions) => ({
    version: Object.values(versions).sort().at(-1) ?? '0',
    errors: new Map(),
    resources: new Map(Object.entries(versions).map(([name, version]) => [name, resourceOf(name, version)])),
  });
}
