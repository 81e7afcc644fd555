/** A resource that the management server serves. The bytes need not be valid: that is for the client to find out. */
export interface Resource {
  readonly typeUrl: string;
  readonly name: string;
  /** Of google.protobuf.Any.value. */
  readonly bytes: Uint8Array;
}

/** Immutable: new contents are a new object, so that identity tells what a stream has sent already. */
export interface StoredResource extends Resource {
  readonly version: string;
}

/** Everything of one type that one node is served. */
export interface ResourceView {
  /** `version_info` of state of the world. */
  readonly version: string;
  readonly resources: ReadonlyMap<string, StoredResource>;
}

interface TypeSnapshot {
  /** Rises with every change of any snapshot, so that the newer of two is known. */
  revision: number;
  version: string;
  resources: Map<string, StoredResource>;
}

/** The snapshot that every node gets. */
export const everyNode = '*';

const empty: TypeSnapshot = { revision: 0, version: '0', resources: new Map() };

/**
 * What to serve: one snapshot for every node, and per node id resources of its own that hide those of the same name.
 * Versions are a counter unless the caller gives one. Mutated in place; the resources in it are not.
 */
export class SnapshotStore {
  private revision = 0;
  private readonly snapshots = new Map<string, Map<string, TypeSnapshot>>();

  /** Replaces the whole snapshot of `nodeId`. What is equal byte by byte keeps its version, unless one is given. */
  setAll(nodeId: string, resources: readonly Resource[], version?: string): void {
    const types = this.typesOf(nodeId);
    const byType = new Map<string, Map<string, Resource>>();
    for (const typeUrl of types.keys()) byType.set(typeUrl, new Map());
    for (const resource of resources) {
      const named = byType.get(resource.typeUrl) ?? new Map<string, Resource>();
      byType.set(resource.typeUrl, named.set(resource.name, resource));
    }
    for (const [typeUrl, named] of byType) {
      const snapshot = this.snapshotOf(nodeId, typeUrl);
      for (const name of snapshot.resources.keys()) {
        if (!named.has(name)) this.remove(nodeId, typeUrl, name, version);
      }
      for (const resource of named.values()) this.set(nodeId, resource, version);
    }
  }

  set(nodeId: string, resource: Resource, version?: string): void {
    const snapshot = this.snapshotOf(nodeId, resource.typeUrl);
    const before = snapshot.resources.get(resource.name);
    if (before !== undefined && version === undefined && sameBytes(before.bytes, resource.bytes)) return;
    this.touch(snapshot, version);
    const { typeUrl, name, bytes } = resource;
    snapshot.resources.set(name, { typeUrl, name, bytes, version: snapshot.version });
  }

  remove(nodeId: string, typeUrl: string, name: string, version?: string): boolean {
    const snapshot = this.snapshotOf(nodeId, typeUrl);
    if (!snapshot.resources.delete(name)) return false;
    this.touch(snapshot, version);
    return true;
  }

  list(nodeId: string): StoredResource[] {
    return [...this.typesOf(nodeId).values()].flatMap((snapshot) => [...snapshot.resources.values()]);
  }

  view(nodeId: string, typeUrl: string): ResourceView {
    const common = this.snapshots.get(everyNode)?.get(typeUrl) ?? empty;
    const own = this.snapshots.get(nodeId)?.get(typeUrl);
    if (own === undefined || nodeId === everyNode) return common;
    return {
      version: own.revision > common.revision ? own.version : common.version,
      resources: new Map([...common.resources, ...own.resources]),
    };
  }

  private touch(snapshot: TypeSnapshot, version: string | undefined): void {
    this.revision += 1;
    snapshot.revision = this.revision;
    snapshot.version = version ?? String(this.revision);
  }

  private typesOf(nodeId: string): Map<string, TypeSnapshot> {
    const known = this.snapshots.get(nodeId);
    if (known !== undefined) return known;
    const types = new Map<string, TypeSnapshot>();
    this.snapshots.set(nodeId, types);
    return types;
  }

  private snapshotOf(nodeId: string, typeUrl: string): TypeSnapshot {
    const types = this.typesOf(nodeId);
    const known = types.get(typeUrl);
    if (known !== undefined) return known;
    const snapshot = { ...empty, resources: new Map<string, StoredResource>() };
    types.set(typeUrl, snapshot);
    return snapshot;
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
