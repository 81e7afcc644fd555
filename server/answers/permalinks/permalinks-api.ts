import { LRUCache } from 'lru-cache';
import { findFailing } from '@/lib/facts/failing-endpoints';
import { roundDurationsMs } from '@/lib/format/duration';
import { findTime } from '@/lib/format/iso-time';
import { chooseLoadStep } from '@/lib/load/choose-step';
import type { LoadExcerpt } from '@/lib/load/load-excerpt';
import type { LoadSpan } from '@/lib/load/plan-load-reading';
import { floorTo } from '@/lib/load/plan-load-reading';
import { usualLoadRange } from '@/lib/load/usual-load-range';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { readTimeRange, resolveTimeRange } from '@/lib/time/time-range';
import { addConnectionStates } from '@/lib/views/connections/add-connection-states';
import type { FailoverHistory } from '@/lib/views/failover/periods-schema';
import type { NewPermalink, Permalink, PermalinkCreated, View } from '@/lib/views/permalinks/schema';
import { resourcesQuery } from '@/lib/views/resources/schema';
import type { EpochMs } from '@/lib/xds/units';
import { ApiError, notFound } from '../../api-error';
import { redactJson } from '../../codec/redact-json';
import type { LoadAnswer, LoadReadQuestion } from '../../live/load/load-jobs';
import type { LoadReader } from '../../live/load/load-reader';
import { readLoadExcerpt } from '../../live/load/read-load-excerpt';
import type { PropagationComparisons } from '../../live/propagation/propagation-comparisons';
import type { Clock } from '../../observe';
import type { Pin } from '../../store/ranges';
import type { Recorder } from '../../store/recorder/recorder';
import { newPermalinkId } from '../../store/recorder/recorder';
import type { GraphBuilder } from '../graph/graph-builder';
import type { DrawnQuery } from '../resolved/resolved-query';
import { drawQuery } from '../resolved/resolved-query';
import { ResourcePages } from '../resources/resource-pages-api';
import type { ClientSubject, ClientSubjects, LiveRows } from '../subjects/client-subjects';
import { parsePermalink, toStoredPermalink } from './parse-permalink';
import { readStoredConnections, toStoredConnections } from './stored-connections';
import type { StoredHead, StoredPermalink } from './stored-permalink';
import { loadSettings, storeSettings } from './stored-permalink';
import type { StoredPropagation } from './stored-propagation';
import { hashesOfPropagation, readStoredPropagation, toStoredPropagation } from './stored-propagation';

interface PermalinksApiOptions {
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly graphs: GraphBuilder;
  readonly subjects: Pick<ClientSubjects, 'find'>;
  readonly findFailovers: (clientId: string, query: object) => Promise<FailoverHistory | undefined>;
  readonly loads: Pick<LoadReader, 'excerpt'>;
  readonly propagation: Pick<PropagationComparisons, 'compare'>;
}

/** `at` is the time of the stored client. */
type LoadedPermalink = StoredPermalink & { readonly createdAt: EpochMs; readonly at: EpochMs };

export interface KeptLoad {
  readonly clientId: string;
  readonly nodeId: string;
  readonly rows: readonly ResourceRow[];
  readonly span: LoadSpan;
  readonly read: (question: LoadReadQuestion) => LoadAnswer;
}

/** Limits the rows over all permalinks in memory. */
const maxLoadedRows = 200_000;

/** A search text may contain a secret. */
function withoutSecrets(view: View): View {
  return { ...view, query: redactJson(view.query, () => '[redacted]') };
}

export class PermalinksApi {
  readonly #options: PermalinksApiOptions;

  readonly #pages = new ResourcePages();
  readonly #loaded = new LRUCache<string, LoadedPermalink>({
    maxSize: maxLoadedRows,
    sizeCalculation: ({ resources, propagation }) => resources.length + (propagation?.rows.length ?? 0) + 1,
  });

  constructor(options: PermalinksApiOptions) {
    this.#options = options;
  }

  /** The graph is not stored, because it is a pure function of the rows and the stored bodies. */
  async create({ clientId, view, at = view.query.at || undefined }: NewPermalink): Promise<PermalinkCreated> {
    const { count, limit } = this.#options.recorder.stats().permalinks;
    if (limit !== undefined && count >= limit) throw tooMany(limit);
    const found = await this.#options.subjects.find(clientId, at);
    if (found === undefined) throw notFound('Client', `no client has the id ${JSON.stringify(clientId)}`);
    const { client, rows: resources } = found;
    const propagation = view.tab === 'propagation' ? await this.#comparePropagation(clientId, at) : undefined;
    const hashes = new Set<string>(propagation && hashesOfPropagation(propagation));
    for (const row of resources) {
      const others = (row.otherVersions ?? []).map(({ hash }) => hash);
      for (const hash of [row.hash, row.errorState?.failedHash, row.controlPlane?.hash, ...others]) {
        if (typeof hash === 'string') hashes.add(hash);
      }
    }
    const id = newPermalinkId();
    const reported = storeSettings(found.reported);
    const failovers = view.tab === 'failover' ? await this.#findFailovers(clientId, view, found) : undefined;
    const createdAt = this.#options.clock.now();
    const load = view.tab === 'load' ? await this.#keepLoad(found, view, createdAt) : undefined;
    const content = await toStoredPermalink({
      ...{
        version: 1,
        client,
        view: withoutSecrets(view),
        resources,
        reported,
        ...(found.moment && { moment: found.moment }),
      },
      ...(failovers && { failovers }),
      ...(found.connections && { connections: toStoredConnections(found.connections) }),
      ...(found.testClient && { testClient: structuredClone(found.testClient) as StoredHead['testClient'] }),
      ...(load && { load }),
      ...(propagation && { propagation }),
    });
    const pin = view.tab === 'history' ? await this.#keepHistory(id, clientId, view, createdAt) : undefined;
    try {
      const isSaved = await this.#options.recorder.savePermalink({ id, createdAt, content, hashes });
      if (!isSaved) throw tooMany(limit);
    } catch (cause) {
      if (pin !== undefined) await this.#options.recorder.unpin(pin.id);
      throw cause;
    }
    return { id, url: `/p/${id}` };
  }

  /** Compares all resources, without the filters of the page. */
  async #comparePropagation(clientId: string, at: string | undefined): Promise<StoredPropagation> {
    const comparison = await this.#options.propagation.compare(clientId, at);
    if (comparison === undefined)
      throw notFound('Client', `no client has the id ${JSON.stringify(clientId)}`);
    return toStoredPropagation(comparison);
  }

  /** Finds the history that the page shows, up to the stored time. */
  #findFailovers(clientId: string, { query }: View, { at, moment }: ClientSubject) {
    const { target = '', listener = '', cluster = '', requests = '', profile = '' } = query;
    const start = target === '' ? { listener } : { target };
    const requested = {
      ...start,
      ...{ cluster, requests, profile },
      ...(moment !== undefined && { to: String(at) }),
    };
    const reported = Object.entries(requested).filter(([, value]) => value !== '');
    return this.#options.findFailovers(clientId, Object.fromEntries(reported));
  }

  async failovers(id: string): Promise<FailoverHistory | undefined> {
    const stored = await this.#load(id);
    if (stored === undefined) return undefined;
    if (stored.failovers === undefined)
      throw notFound('Failovers', 'the link keeps none: another page than that of failovers was linked');
    return stored.failovers;
  }

  /** Exempts the shown history of the client from retention. */
  async #keepHistory(id: string, clientId: string, { query }: View, createdAt: EpochMs): Promise<Pin> {
    const { recorder } = this.#options;
    const from = findTime(query.from ?? '') ?? recorder.stats().oldestAt ?? createdAt;
    const range = { from: Math.min(from, createdAt), to: createdAt, clientId, createdAt };
    const added = await recorder.pin({ ...range, label: `permalink ${id}` });
    if (added) return added;
    throw new ApiError(
      409,
      'Too many pins',
      'its history needs a pin, and there are as many as there may be',
    );
  }

  /** Keeps the time range that the page shows, up to the shown time. */
  #keepLoad({ client, moment, at }: ClientSubject, { query }: View, createdAt: EpochMs): Promise<StoredLoad> {
    const now = moment === undefined ? createdAt : at;
    const context = { now, timeZone: 'UTC' };
    const range = readTimeRange(query.from ?? '', query.to ?? '', context) ?? usualLoadRange;
    const bounds = resolveTimeRange(range, context);
    const lengthMs = bounds.to - (bounds.from ?? this.#options.recorder.stats().oldestAt ?? createdAt);
    // At a moment of the past the page shows a range of the same length that ends there.
    const isPaused = moment === undefined && bounds.to < createdAt;
    const to = isPaused ? bounds.to : now + 1;
    return toStoredLoad(this.#options.loads, client.id, { from: to - lengthMs, to });
  }

  async find(id: string): Promise<Permalink | undefined> {
    const stored = await this.#load(id);
    if (stored === undefined) return undefined;
    const { client, view, resources, reported, createdAt, at, connections } = stored;
    const { items, nextCursor } = await this.#pages.find(resources, resourcesQuery.parse({}));
    const known = connections && readStoredConnections(connections).connections;
    const failing = findFailing(known ?? []);
    const drawn = drawQuery(viewQuery(view), { ...client, reported: loadSettings(reported), failing });
    const graph = await this.#options.graphs.ask('graph', listOf(id, resources), drawn);
    return {
      id,
      createdAt,
      clientId: client.id,
      client,
      view,
      resources: items,
      nextCursor,
      graph: {
        ...{ clientId: client.id, at, ...graph },
        nodes: addConnectionStates(graph.nodes, known),
      },
      moment: stored.moment,
      ...(stored.load && {
        load: stored.load.span,
      }),
    };
  }

  /** Returns undefined if there is no such permalink, or if it stores no load. */
  async findLoad(id: string): Promise<KeptLoad | undefined> {
    const stored = await this.#load(id);
    if (stored?.load === undefined) return undefined;
    const { client, resources: rows, load } = stored;
    return { clientId: client.id, nodeId: client.nodeId, rows, span: load.span, read: readStoredLoad(load) };
  }

  /** Returns undefined if there is no such permalink. */
  async findSubject(id: string): Promise<ClientSubject | undefined> {
    const stored = await this.#load(id);
    if (stored === undefined) return undefined;
    const { client, resources, reported, at, propagation, connections, testClient } = stored;
    return {
      ...{
        client,
        rows: resources,
        source: listOf(id, resources),
        reported: loadSettings(reported),
        at,
        revision: id,
      },
      ...(stored.moment && { moment: stored.moment }),
      isStored: true,
      ...(connections && { connections: readStoredConnections(connections) }),
      ...(testClient && { testClient }),
      ...(propagation && { propagation: readStoredPropagation(propagation) }),
    };
  }

  async #load(id: string): Promise<LoadedPermalink | undefined> {
    const known = this.#loaded.get(id);
    if (known !== undefined) return known;
    const stored = await this.#options.recorder.readPermalink(id);
    if (stored === undefined) return undefined;
    const { content, createdAt } = stored;
    const view = await parsePermalink(id, content);
    const loaded = { ...view, createdAt, at: view.moment?.at ?? createdAt };
    this.#loaded.set(id, loaded);
    return loaded;
  }
}

function tooMany(limit: number | undefined): ApiError {
  return new ApiError(
    409,
    'Too many permalinks',
    `expected at most ${limit} permalinks, got one more: they are never deleted, so start xdscope with a larger --max-permalinks`,
  );
}

/** Returns the query with the aggregates that the stored view had expanded. */
function viewQuery(view: View): DrawnQuery {
  // The page's URL joins ids with commas, and contains a comma inside an id as %2C.
  const ids = view.query.expand?.split(',') ?? [];
  return { expand: ids.filter((id) => id !== '').map((id) => id.replaceAll('%2C', ',')) };
}

/** Each permalink has its own list, so that questions about different permalinks do not wait for each other. */
function listOf(id: string, rows: readonly ResourceRow[]): LiveRows {
  return { list: `permalink ${id}`, read: () => ({ rows }) };
}

/** The load of a client as a permalink stores it: sums over steps, in JSON. */
export type StoredLoad = NonNullable<StoredHead['load']>;

/** A client with more values is stored in longer steps. */
const mostBytes = 4 * 1024 * 1024;

/** Stores every series of the client in the time range, in the steps of the chart. */
export async function toStoredLoad(
  loads: Pick<LoadReader, 'excerpt'>,
  clientId: string,
  span: LoadSpan,
): Promise<StoredLoad> {
  const spanMs = span.to - span.from;
  let stepMs = chooseLoadStep(spanMs);
  for (;;) {
    const requested = { from: floorTo(span.from, stepMs), to: span.to };
    const { series, values, ...read } = await loads.excerpt({ span: requested, clientId, stepMs });
    if (values.length <= mostBytes || stepMs >= spanMs) {
      return { span: read.span, series: [...series], stepMs, values: Buffer.from(values).toString('base64') };
    }
    const last = stepMs;
    stepMs = roundDurationsMs.find((longer) => longer >= 4 * last) ?? spanMs;
  }
}

/** Answers questions as the load recorder does. */
export function readStoredLoad({
  values,
  stepMs,
  ...kept
}: StoredLoad): (question: LoadReadQuestion) => LoadAnswer {
  const excerpt: LoadExcerpt = { ...kept, values: Buffer.from(values, 'base64') };
  return (question) => readLoadExcerpt(excerpt, stepMs, question);
}
