/** A resource that the management server serves. The bytes need not be valid. */
export interface Resource {
  readonly typeUrl: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Delta: further names by which clients can subscribe to it. */
  readonly aliases?: readonly string[];
  /** Time to live. The client drops the resource unless sendHeartbeats renews it. */
  readonly ttlMs?: number;
  /** Version of the resource in delta; the version of its type if absent. */
  readonly version?: string;
}

/** Immutable. New contents are a new object, so that identity shows whether a stream has sent them. */
export interface StoredResource extends Resource {
  readonly version: string;
}

/** An error that is sent instead of a resource (xDS proposal TP3). Immutable. */
export interface ServedError {
  readonly name: string;
  /** google.rpc.Code. */
  readonly code: number;
  readonly message: string;
}

/** All resources of one type for one node. */
export interface ResourceView {
  /** `version_info` of state of the world. */
  readonly version: string;
  readonly resources: ReadonlyMap<string, StoredResource>;
  /** The key is the name. A name is in `resources` or in `errors`, never in both. */
  readonly errors: ReadonlyMap<string, ServedError>;
}

interface TypeSnapshot extends ResourceView {
  /** Increases with every change of any snapshot, so that the newer of two is known. */
  revision: number;
  version: string;
  readonly resources: Map<string, StoredResource>;
  readonly errors: Map<string, ServedError>;
}

export const everyNode = '*';

/** The key of overrides for the delta streams of every node, which simulate a server whose variants differ. */
export const everyDeltaStream = '*delta';

function emptySnapshot(): TypeSnapshot {
  return { revision: 0, version: '0', resources: new Map(), errors: new Map() };
}

/**
 * The served resources: one snapshot for every node, and for each node id resources that hide those of the same name.
 * Versions are a counter unless the caller specifies one.
 */
export class SnapshotStore {
  readonly #isSeparate: (nodeId: string, typeUrl: string) => boolean;
  #revision = 0;
  /** States whether the current call has already increased the counter. All changes of one call have one version. */
  #touched = false;
  readonly #snapshots = new Map<string, Map<string, TypeSnapshot>>();

  /** `isSeparate`: whether a node has none of the resources of this type that the others share. */
  constructor(isSeparate: (nodeId: string, typeUrl: string) => boolean = () => false) {
    this.#isSeparate = isSeparate;
  }

  /** Replaces the whole snapshot of `nodeId`. Resources with equal bytes keep their version unless one is specified. */
  setAll(nodeId: string, resources: readonly Resource[], version?: string): void {
    this.#touched = false;
    const wanted = new Set(resources.map(({ typeUrl, name }) => `${typeUrl}\u0000${name}`));
    for (const { typeUrl, name } of this.list(nodeId)) {
      if (!wanted.has(`${typeUrl}\u0000${name}`)) this.#drop(nodeId, typeUrl, name, version);
    }
    for (const resource of resources) this.#put(nodeId, resource, version);
  }

  set(nodeId: string, resource: Resource, version?: string): void {
    this.#touched = false;
    this.#put(nodeId, resource, version);
  }

  /** Replaces the resource until the next one with its name is set. */
  setError(nodeId: string, typeUrl: string, error: ServedError, version?: string): void {
    this.#touched = false;
    const snapshot = this.#snapshotOf(nodeId, typeUrl);
    snapshot.resources.delete(error.name);
    snapshot.errors.set(error.name, { ...error });
    this.#touch(snapshot, version);
  }

  /** One change of one type under one version. Resources that are set are sent again even if their bytes are equal. */
  update(
    nodeId: string,
    typeUrl: string,
    { set, removed }: { readonly set: readonly Resource[]; readonly removed: readonly string[] },
    version: string,
  ): void {
    this.#touched = false;
    for (const name of removed) this.#drop(nodeId, typeUrl, name, version);
    for (const resource of set) this.#put(nodeId, resource, version);
    if (set.length === 0 && removed.length === 0) this.#touch(this.#snapshotOf(nodeId, typeUrl), version);
  }

  /** Marks all resources of the snapshot, or of one type, as changed: the same bytes under a new version. */
  renew(nodeId: string, typeUrl?: string): void {
    this.#touched = false;
    for (const [type, snapshot] of this.#typesOf(nodeId)) {
      if (typeUrl !== undefined && type !== typeUrl) continue;
      this.#touch(snapshot, undefined);
      for (const [name, resource] of snapshot.resources) {
        snapshot.resources.set(name, { ...resource, version: snapshot.version });
      }
    }
  }

  /** Returns false if there was no such resource. */
  remove(nodeId: string, typeUrl: string, name: string, version?: string): boolean {
    this.#touched = false;
    return this.#drop(nodeId, typeUrl, name, version);
  }

  list(nodeId: string): StoredResource[] {
    return [...this.#typesOf(nodeId).values()].flatMap((snapshot) => [...snapshot.resources.values()]);
  }

  view(nodeId: string, typeUrl: string, variant: 'sotw' | 'delta' = 'sotw'): ResourceView {
    const common = [everyNode, ...(variant === 'delta' ? [everyDeltaStream] : [])];
    const layers = [...(this.#isSeparate(nodeId, typeUrl) ? [] : common), nodeId];
    const [first, ...others] = [...new Set(layers)].flatMap(
      (layer) => this.#snapshots.get(layer)?.get(typeUrl) ?? [],
    );
    return others.reduce(hide, first ?? emptySnapshot());
  }

  #put(nodeId: string, resource: Resource, version: string | undefined): void {
    const { typeUrl, name } = resource;
    const snapshot = this.#snapshotOf(nodeId, typeUrl);
    const before = snapshot.resources.get(name);
    if (before !== undefined && version === undefined && isSame(before, resource)) return;
    this.#touch(snapshot, version);
    snapshot.errors.delete(name);
    snapshot.resources.set(name, { ...resource, version: resource.version ?? snapshot.version });
  }

  #drop(nodeId: string, typeUrl: string, name: string, version: string | undefined): boolean {
    const snapshot = this.#snapshotOf(nodeId, typeUrl);
    const hadError = snapshot.errors.delete(name);
    if (!snapshot.resources.delete(name) && !hadError) return false;
    this.#touch(snapshot, version);
    return true;
  }

  #touch(snapshot: TypeSnapshot, version: string | undefined): void {
    if (!this.#touched) this.#revision += 1;
    this.#touched = true;
    snapshot.revision = this.#revision;
    snapshot.version = version ?? String(this.#revision);
  }

  #typesOf(nodeId: string): Map<string, TypeSnapshot> {
    const known = this.#snapshots.get(nodeId);
    if (known !== undefined) return known;
    const types = new Map<string, TypeSnapshot>();
    this.#snapshots.set(nodeId, types);
    return types;
  }

  #snapshotOf(nodeId: string, typeUrl: string): TypeSnapshot {
    const types = this.#typesOf(nodeId);
    const known = types.get(typeUrl);
    if (known !== undefined) return known;
    const snapshot = emptySnapshot();
    types.set(typeUrl, snapshot);
    return snapshot;
  }
}

/** Combines two snapshots: `own` hides resources of the same name in `common`. */
function hide(common: TypeSnapshot, own: TypeSnapshot): TypeSnapshot {
  const resources = new Map([...common.resources, ...own.resources]);
  const errors = new Map([...common.errors, ...own.errors]);
  for (const name of own.errors.keys()) resources.delete(name);
  for (const name of own.resources.keys()) errors.delete(name);
  const { revision, version } = own.revision > common.revision ? own : common;
  return { revision, version, resources, errors };
}

function isSame(a: Resource, b: Resource): boolean {
  const [aliases = [], others = []] = [a.aliases, b.aliases];
  return (
    Buffer.compare(a.bytes, b.bytes) === 0 &&
    a.ttlMs === b.ttlMs &&
    aliases.length === others.length &&
    aliases.every((alias, index) => alias === others[index])
  );
}
