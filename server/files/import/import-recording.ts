import { by } from '@/lib/collections/compare';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { LoadSeries } from '@/lib/load/load-series';
import type { DeclaredSource, Recorded } from '@/lib/observation/observation';
import { guessKind } from '@/lib/observation/source-kinds';
import { findOriginalVantage, reportsResources } from '@/lib/observation/vantage';
import type { Body, Observe } from '../../observe';
import { inSlices, nextTurn } from '../../workers/threads/in-slices';
import type { FileCounts, FileGap, FileHeader, FileLabel, ReadRecord } from '../xdscope-format/file-record';
import type { FileState } from '../xdscope-format/observation-shape';
import type { ImportNames } from './import-names';

export interface ImportOptions {
  readonly names: ImportNames;
  readonly observe: Observe;
  /** Resolves when the recorder can store more; see Recorder. */
  readonly keepPace: () => Promise<void>;
  /** Stores load reports; see LoadRecorder.add(). */
  readonly addLoad: (values: Uint8Array, findSeries: (id: number) => LoadSeries | undefined) => Promise<void>;
}

/** The result of an import. */
export interface ImportedRecording {
  readonly header: FileHeader | null;
  /** At most 50, with local client ids. */
  readonly labels: readonly FileLabel[];
  /** The newest gaps. */
  readonly gaps: readonly FileGap[];
  readonly observations: number;
  readonly bodies: number;
  /** First and last time of the observations, null if there are none. */
  readonly from: number | null;
  readonly to: number | null;
  /** First and last time including the initial states, null if there are none. */
  readonly reported: { readonly from: number; readonly to: number } | null;
  /** Time of the last observation by local client id. */
  readonly clients: ReadonlyMap<string, number>;
  /** Reasons; empty if the file is complete. */
  readonly damage: readonly string[];
  /** Describes what the recording lacked before its export. */
  readonly notes: readonly string[];
}

const maxReported = 20;
/** The limit of the load recorder. */
const maxSeries = 1_000_000;
const maxSources = 100_000;
const maxLabels = 50;
const maxGaps = 1_000;
const maxReportedGaps = 10;
/** Bodies precede the observation that names them. Without one after this many bytes, they are dropped. */
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * Emits the observations of a file with their own times. Clients, sources and streams get local names, which are never
 * those of this process. Waits for the recorder after each block, so that a large file does not fill its queue.
 */
export async function importRecording(
  records: AsyncIterable<ReadRecord>,
  { names, observe, keepPace, addLoad }: ImportOptions,
): Promise<ImportedRecording> {
  const clients = new Map<string, number>();
  const damage: string[] = [];
  const notes: string[] = [];
  const labels: FileLabel[] = [];
  let gaps: readonly FileGap[] = [];
  let labelCount = 0;
  let damageLeft = 0;
  let header: FileHeader | null = null;
  let promised: FileCounts | null = null;
  let observations = 0;
  let bodyCount = 0;
  let from: number | null = null;
  let to: number | null = null;
  let range: { from: number; to: number } | null = null;
  let waiting: Body[] = [];
  let waitingBytes = 0;
  /** Series with local names, by number in the file. */
  const series = new Map<number, LoadSeries>();
  /** Declared sources by id in the file. */
  const declared = new Map<string, DeclaredSource>();
  const known = new Set<string>();
  const declare = ({ at, sourceId, ...observation }: Recorded): void => {
    if (known.has(sourceId)) return;
    known.add(sourceId);
    if (observation.kind === 'source-declared') return;
    const kind = guessKind(findOriginalVantage(observation));
    const source = declared.get(sourceId) ?? { kind, target: sourceId };
    observe({ observation: names.declare(at, sourceId, source), bodies: [] });
  };
  const emit = (observation: Recorded): void => {
    declare(observation);
    const reported = names.rename(observation);
    const { at } = reported;
    range = { from: Math.min(range?.from ?? at, at), to: Math.max(range?.to ?? at, at) };
    if ('clientId' in reported) {
      clients.set(reported.clientId, Math.max(at, clients.get(reported.clientId) ?? at));
    }
    const isLoadApart = reported.kind === 'load-reported';
    observe({ observation: reported, bodies: waiting, ...(isLoadApart && { isLoadApart }) });
    waiting = [];
    waitingBytes = 0;
  };
  const states = new ImportedStates(emit);
  for await (const record of records) {
    if (record.kind !== 'states' && record.kind !== 'bodies') await states.flush();
    switch (record.kind) {
      case 'header':
        header = record.header;
        notes.push(...record.header.notes.slice(0, maxReported));
        break;
      case 'states':
        for (const state of record.states) await states.add(state);
        break;
      case 'sources':
        for (const { sourceId, ...source } of record.sources) {
          if (declared.size < maxSources) declared.set(sourceId, source);
        }
        break;
      case 'bodies':
        bodyCount += record.bodies.length;
        waitingBytes += record.bodies.reduce((sum, { bytes }) => sum + bytes.length, 0);
        waiting = waitingBytes > maxWaitingBytes ? [] : [...waiting, ...record.bodies];
        if (waiting.length === 0) waitingBytes = 0;
        break;
      case 'observations':
        for (const observation of record.observations) {
          from = Math.min(from ?? observation.at, observation.at);
          to = Math.max(to ?? observation.at, observation.at);
        }
        // An observation may change many rows.
        await inSlices(record.observations, emit, 1);
        observations += record.observations.length;
        break;
      case 'gaps':
        gaps = [...gaps, ...record.gaps].slice(-maxGaps);
        break;
      case 'labels':
        labelCount += record.labels.length;
        labels.push(...record.labels.slice(0, maxLabels - labels.length));
        break;
      case 'load':
        for (const each of record.load.series.slice(0, maxSeries - series.size)) {
          series.set(each.id, names.renameLoad(each.series));
        }
        await addLoad(record.load.values, (id) => series.get(id));
        break;
      case 'end':
        promised = record.counts;
        break;
      case 'damage':
        if (damage.length < maxReported) damage.push(record.reason);
        else damageLeft += 1;
    }
    await keepPace();
    await nextTurn();
  }
  await states.flush();
  if (damageLeft > 0) damage.push(`and ${damageLeft} more`);
  if (promised !== null && promised.observations !== observations && damage.length === 0) {
    damage.push(`expected ${promised.observations} observations, got ${observations}`);
  }
  for (const gap of gaps.slice(-maxReportedGaps)) notes.push(describeGap(gap));
  if (gaps.length > maxReportedGaps) {
    notes.push(`and ${gaps.length - maxReportedGaps} gaps before these, which History shows`);
  }
  const pinned = labelsOf(labels, names, [...clients.keys()]);
  const left = labelCount - labels.length + Math.max(0, pinned.length - maxLabels);
  if (left > 0)
    notes.push(`${left} pins of the file were left out: at most ${maxLabels} of one file are kept`);
  if (promised !== null && promised.missingBodies > 0) {
    notes.push(`${promised.missingBodies} resource bodies were no longer there when the file was made`);
  }
  return {
    header,
    labels: pinned.slice(0, maxLabels),
    gaps,
    observations,
    bodies: bodyCount,
    from,
    to,
    reported: range,
    clients,
    damage,
    notes,
  };
}

/** The labels with local client ids. A label without a client becomes a label of each client in the file. */
function labelsOf(
  labels: readonly FileLabel[],
  names: ImportNames,
  clientIds: readonly string[],
): FileLabel[] {
  return labels.flatMap((label) => {
    const own = label.clientId === null ? clientIds : [names.clientId(label.clientId)];
    return own.filter((id) => clientIds.includes(id)).map((clientId) => ({ ...label, clientId }));
  });
}

function describeGap({ fromSeq, toSeq, fromAt, toAt, reason }: FileGap): string {
  const from = formatIsoTime(fromAt);
  return `${toSeq - fromSeq + 1} observations from ${from} to ${formatIsoTime(toAt)} were not recorded: ${reason}`;
}

/** Limit for one client. Beyond it, states are emitted in the order of the file. */
const maxWaitingRows = 200_000;

/**
 * Converts the initial states of a file to observations: a report of a source is emitted at the time of its last
 * change. The fold of the observations is the state, except for the begin of reports.
 */
class ImportedStates {
  readonly #emit: (observation: Recorded) => void;

  #clientId: string | null = null;
  #waiting: Recorded[] = [];
  #rows = 0;

  constructor(emit: (observation: Recorded) => void) {
    this.#emit = emit;
  }

  async add(state: FileState): Promise<void> {
    if (state.clientId !== this.#clientId || this.#rows > maxWaitingRows) await this.flush();
    this.#clientId = state.clientId;
    this.#rows += state.rows.length;
    const { clientId, node, scope, report, rows } = state;
    const { sourceId, vantage, originalVantage, side, lastChangedAt, goneAt, goneReason, typeVersions } =
      report;
    const { connections, testClient } = report;
    const base = {
      ...{ seq: 0, clientId, sourceId, vantage, side },
      ...(originalVantage !== undefined && { originalVantage }),
    };
    const kind = 'client-config-changed';
    const changes = { changed: rows, removed: [], ...(typeVersions && { typeVersions }) };
    const reportsOther = connections !== undefined || testClient !== undefined;
    if (!reportsOther || reportsResources(base))
      this.#waiting.push({ ...base, kind, at: lastChangedAt, node, scope, ...changes });
    if (connections !== undefined) {
      const all = { connections, endedIds: [], isComplete: true } as const;
      this.#waiting.push({ ...base, kind: 'connections-changed', at: lastChangedAt, node, scope, ...all });
    }
    const { counts, block, configuration, servers = [] } = testClient ?? {};
    const ofTestClient = { ...base, node, scope };
    if (counts?.previous !== undefined)
      this.#waiting.push({ ...ofTestClient, ...counts.previous, kind: 'rpcs-counted' });
    if (counts !== undefined)
      this.#waiting.push({ ...ofTestClient, kind: 'rpcs-counted', at: counts.at, methods: counts.methods });
    if (block !== undefined) this.#waiting.push({ ...ofTestClient, ...block, kind: 'rpc-block-counted' });
    if (configuration !== undefined)
      this.#waiting.push({ ...ofTestClient, ...configuration, kind: 'test-client-configured' });
    for (const each of servers) this.#waiting.push({ ...ofTestClient, ...each, kind: 'test-server-set' });
    if (goneAt === null) return;
    this.#waiting.push({ ...base, kind: 'client-gone', at: goneAt, reason: goneReason });
  }

  /** Emits the states of the client in the order of time. */
  async flush(): Promise<void> {
    const reported = this.#waiting;
    this.#waiting = [];
    this.#rows = 0;
    this.#clientId = null;
    // The sort is stable, which keeps the parts of a report in order.
    await inSlices(reported.sort(by(({ at }) => at)), this.#emit, 1);
  }
}
