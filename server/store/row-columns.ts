import { resourceKey } from '@/lib/observation/client-state';
import type { Stage } from '@/lib/observation/effect-stage';
import type { ResourceState } from '@/lib/observation/resource-state';

export type RowChange = readonly [key: string, row: ResourceState | null];

/** One field of all rows: its values or, if few differ, the distinct values (`of`) and each row's position (`at`). */
type Column<T> = readonly T[] | { readonly of: readonly T[]; readonly at: readonly number[] };

type Common = Pick<
  ResourceState,
  | 'typeUrl'
  | 'name'
  | 'versionInfo'
  | 'clientStatus'
  | 'configStatus'
  | 'lastUpdated'
  | 'errorState'
  | 'hash'
  | 'sizeBytes'
  | 'isStatic'
  | 'changedAt'
>;

type CommonColumns = { readonly [K in keyof Common]: Column<Common[K]> } & {
  /** Absent if no row has a stage; all rows of an Envoy's config dump have one. */
  readonly stage?: Column<Stage | null>;
};

/** JSON of a chunk or a layer by columns: less than half the size of the rows' JSON, and parsed twice as fast. */
interface RowColumns {
  readonly columns: CommonColumns;
  readonly more: readonly (readonly [index: number, fields: Partial<ResourceState>])[];
  readonly gone: readonly string[];
}

/** Precondition: each key occurs once. */
export function formatChanges(changes: Iterable<RowChange>): string {
  const rows: ResourceState[] = [];
  const gone: string[] = [];
  for (const [key, row] of changes) {
    if (row === null) gone.push(key);
    else rows.push(row);
  }
  const more: [number, Partial<ResourceState>][] = [];
  for (const [index, row] of rows.entries()) {
    const fields = othersOf(row);
    if (Object.keys(fields).length > 0) more.push([index, fields]);
  }
  const columns: CommonColumns = {
    typeUrl: columnOf(rows, ({ typeUrl }) => typeUrl),
    name: columnOf(rows, ({ name }) => name),
    versionInfo: columnOf(rows, ({ versionInfo }) => versionInfo),
    clientStatus: columnOf(rows, ({ clientStatus }) => clientStatus),
    configStatus: columnOf(rows, ({ configStatus }) => configStatus),
    lastUpdated: columnOf(rows, ({ lastUpdated }) => lastUpdated),
    errorState: columnOf(rows, ({ errorState }) => errorState),
    hash: columnOf(rows, ({ hash }) => hash),
    sizeBytes: columnOf(rows, ({ sizeBytes }) => sizeBytes),
    isStatic: columnOf(rows, ({ isStatic }) => isStatic),
    changedAt: columnOf(rows, ({ changedAt }) => changedAt),
    ...(rows.some(({ stage }) => stage) && { stage: columnOf(rows, ({ stage }) => stage ?? null) }),
  };
  return JSON.stringify({ columns, more, gone } satisfies RowColumns);
}

function othersOf(row: ResourceState): Partial<ResourceState> {
  const {
    typeUrl: _type,
    name: _name,
    versionInfo: _version,
    clientStatus: _client,
    configStatus: _config,
    lastUpdated: _updated,
    errorState: _error,
    hash: _hash,
    sizeBytes: _size,
    isStatic: _static,
    changedAt: _changed,
    stage: _stage,
    ...others
  } = row;
  return others;
}

function columnOf<T>(rows: readonly ResourceState[], read: (row: ResourceState) => T): Column<T> {
  const places = new Map<T, number>();
  const at: number[] = [];
  const all: T[] = [];
  for (const row of rows) {
    const value = read(row);
    all.push(value);
    let place = places.get(value);
    if (place === undefined) {
      place = places.size;
      places.set(value, place);
    }
    at.push(place);
  }
  return places.size * 2 > rows.length ? all : { of: [...places.keys()], at };
}

export function parseChanges(json: string): RowChange[] {
  const { columns, more, gone } = JSON.parse(json) as RowColumns;
  const types = valuesOf(columns.typeUrl);
  const names = valuesOf(columns.name);
  const versions = valuesOf(columns.versionInfo);
  const clientStatuses = valuesOf(columns.clientStatus);
  const configStatuses = valuesOf(columns.configStatus);
  const updated = valuesOf(columns.lastUpdated);
  const errors = valuesOf(columns.errorState);
  const hashes = valuesOf(columns.hash);
  const sizes = valuesOf(columns.sizeBytes);
  const statics = valuesOf(columns.isStatic);
  const changed = valuesOf(columns.changedAt);
  const stages = columns.stage && valuesOf(columns.stage);
  const others = new Map(more);
  const changes = names.map((name, index): RowChange => {
    // Each column has a value for each row.
    const row = {
      typeUrl: types[index],
      name,
      versionInfo: versions[index],
      clientStatus: clientStatuses[index],
      configStatus: configStatuses[index],
      lastUpdated: updated[index],
      errorState: errors[index],
      hash: hashes[index],
      sizeBytes: sizes[index],
      isStatic: statics[index],
      changedAt: changed[index],
    } as ResourceState;
    const stage = stages?.[index];
    const staged = stage ? { ...row, stage } : row;
    const fields = others.size === 0 ? undefined : others.get(index);
    return [resourceKey(row), fields === undefined ? staged : { ...staged, ...fields }];
  });
  for (const key of gone) changes.push([key, null]);
  return changes;
}

function valuesOf<T>(column: Column<T>): readonly T[] {
  if ('of' in column) {
    const { of, at } = column;
    // formatChanges() writes only positions in `of`.
    return at.map((place) => of[place] as T);
  }
  return column;
}
