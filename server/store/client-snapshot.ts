import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { SharedStrings } from '../collect/collector/shared-strings';
import { inSlices } from '../workers/threads/in-slices';
import { type ClientParts, joinClient, splitClient } from './client-parts';
import { deflateBytes, inflateBytes } from './deflate';
import { addHashes } from './named-hashes';
import { formatChanges, parseChanges, type RowChange } from './row-columns';
import { bytesOfText, textOfBytes } from './text-bytes';

/**
 * A snapshot is lines of text: the client without its rows, and rows of its reports, some in each line. `isWhole`: earlier
 * snapshots have no rows of the report.
 */
interface StoredRows {
  readonly isWhole: boolean;
  readonly lines: number;
}

const rowsPerLine = 500;
/** Shorter texts are stored as they are. The first byte shows it: JSON does not begin with that of a deflated text. */
const shortestDeflated = 1_024;
const firstDeflatedByte = 0x78;

/** The rows of a report that changed since its newest snapshot, for the fold, which only sets, deletes and lists them. */
class ChangedRows extends Map<string, ResourceState> {
  readonly changes = new Map<string, ResourceState | null>();
  #isWhole = false;

  /** No row of an earlier snapshot is in the report. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  override set(key: string, row: ResourceState): this {
    this.changes.set(key, row);
    return this;
  }

  override delete(key: string): boolean {
    if (this.#isWhole) return this.changes.delete(key);
    this.changes.set(key, null);
    return true;
  }

  override clear(): void {
    this.#isWhole = true;
    this.changes.clear();
  }

  /** The rows are known only after clear(). */
  override values(): MapIterator<ResourceState> {
    if (!this.#isWhole) throw new Error('expected a report whose rows are known, got one of a snapshot');
    return new Map([...this.changes].flatMap(([key, row]) => (row === null ? [] : [[key, row]]))).values();
  }
}

/** Makes the rows of a report known before an observation is folded that removes all of them. */
export function clearRows({ reports }: ClientState, sourceId: string): void {
  const report = reports.get(sourceId);
  if (report?.side === 'client') report.resources.clear();
}

/** A snapshot that is not deflated yet. */
export interface SnapshotText {
  readonly text: string;
  readonly rows: number;
}

/** Formats a client of which each report has these rows, null for those that were removed. */
function formatSnapshot(
  parts: ClientParts<{ readonly isWhole: boolean; readonly changes: readonly RowChange[] }>,
): SnapshotText {
  const lines: string[] = [];
  let count = 0;
  const reports = parts.reports.map(({ key, report, rows: { isWhole, changes } }) => {
    for (let from = 0; from < changes.length; from += rowsPerLine) {
      lines.push(formatChanges(changes.slice(from, from + rowsPerLine)));
    }
    count += changes.length;
    const rows: StoredRows = { isWhole, lines: Math.ceil(changes.length / rowsPerLine) };
    return { key, report, rows };
  });
  return { text: [JSON.stringify({ client: parts.client, reports }), ...lines].join('\n'), rows: count };
}

/** A client that later changes do not affect: it has lists of its own, and shares only immutable rows. */
export type ClientCopy = ClientParts<readonly ResourceState[]>;

/** Only references are copied: a million of them takes some 20 ms. */
export function copyClient(client: ClientState): ClientCopy {
  return splitClient(client, (resources) => [...resources.values()]);
}

export function formatCopy({ client, reports }: ClientCopy): SnapshotText {
  return formatSnapshot({
    client,
    reports: reports.map(({ key, report, rows }) => {
      return { key, report, rows: { isWhole: true, changes: rows.map((row) => ['', row] as const) } };
    }),
  });
}

/** Returns a snapshot of all rows, or of those that changed if the state came from restoreHead() or forgetRows(). */
export function formatState(state: ClientState): SnapshotText {
  return formatSnapshot(
    splitClient(state, (resources) =>
      resources instanceof ChangedRows
        ? { isWhole: resources.isWhole, changes: [...resources.changes] }
        : { isWhole: true, changes: [...resources] },
    ),
  );
}

export function packText({ text }: SnapshotText): Uint8Array {
  return text.length < shortestDeflated ? bytesOfText(text) : deflateBytes(text);
}

/** Returns the hash of every body that the rows of a state name: all rows, or those that changed as in formatState(). */
export function hashesOf({ reports }: ClientState): string[] {
  const hashes = new Set<string>();
  for (const { resources } of reports.values()) {
    const rows = resources instanceof ChangedRows ? resources.changes.values() : resources.values();
    addHashes(
      hashes,
      [...rows].filter((row) => row !== null),
    );
  }
  return [...hashes];
}

/** Returns the client of a snapshot to fold later observations into; formatState() then contains what they changed. */
export function restoreHead(bytes: Uint8Array): ClientState {
  const text = unpack(bytes);
  const end = text.indexOf('\n');
  return joinClient(headOf(end < 0 ? text : text.slice(0, end)), () => new ChangedRows());
}

/** Must be called after a snapshot of the state was stored: what changes from now on is in the next one. */
export function forgetRows(state: ClientState): ClientState {
  return joinClient(
    splitClient(state, () => undefined),
    () => new ChangedRows(),
  );
}

/** Returns the client as of the last of these snapshots; the first is whole. Yields to the event loop. */
export async function restoreClient(
  snapshots: readonly Uint8Array[],
  strings?: SharedStrings,
): Promise<ClientState | undefined> {
  let rowsOf = new Map<string, ClientReport['resources']>();
  let newest: ReturnType<typeof headOf> | undefined;
  for (const bytes of snapshots) {
    const [first = '', ...lines] = unpack(bytes).split('\n');
    newest = headOf(first);
    const before = rowsOf;
    rowsOf = new Map();
    const work: { readonly rows: ClientReport['resources']; readonly line: string }[] = [];
    let line = 0;
    for (const { key, rows } of newest.reports) {
      const known = (rows.isWhole ? undefined : before.get(key)) ?? new Map();
      rowsOf.set(key, known);
      for (let left = rows.lines; left > 0; left--) work.push({ rows: known, line: lines[line++] ?? '' });
    }
    const apply = ({ rows, line: text }: (typeof work)[number]): void =>
      applyChanges(rows, parseChanges(text), strings);
    // Most clients are small, and there may be many of them.
    if (work.length <= 1) work.forEach(apply);
    else await inSlices(work, apply, 1);
  }
  if (newest === undefined) return undefined;
  const { client, reports } = newest;
  return {
    ...client,
    reports: new Map(
      reports.map(({ key, report }) => [key, { ...report, resources: rowsOf.get(key) ?? new Map() }]),
    ),
  };
}

function applyChanges(
  rows: ClientReport['resources'],
  changes: Iterable<RowChange>,
  strings: SharedStrings | undefined,
): void {
  for (const [key, row] of changes) {
    if (row === null) rows.delete(key);
    else if (strings === undefined) rows.set(key, row);
    else {
      const { typeUrl, name, versionInfo, hash } = row;
      rows.set(strings.share(key), {
        ...row,
        ...{ typeUrl: strings.share(typeUrl), name: strings.share(name) },
        ...{ versionInfo: strings.share(versionInfo), hash: hash === null ? null : strings.share(hash) },
      });
    }
  }
}

function unpack(bytes: Uint8Array): string {
  return textOfBytes(bytes[0] === firstDeflatedByte ? inflateBytes(bytes) : bytes);
}

function headOf(line: string) {
  return JSON.parse(line) as ReturnType<typeof splitClient<StoredRows>>;
}
