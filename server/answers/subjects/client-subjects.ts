import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildClientDetail } from '@/lib/views/client/build-client-summary';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import {
  type FiguresOf,
  findConnections,
  type ReportedConnections,
} from '@/lib/views/client/find-connections';
import type { ClientDetail, ClientSummary } from '@/lib/views/client/schema';
import type { Moment } from '@/lib/views/fields/moment';
import { findTestClient, type ReportedTestClient } from '@/lib/views/test-client/build-test-client';
import type { EpochMs } from '@/lib/xds/units';
import type { LiveState } from '../../live/live-state';
import type { PropagationComparison } from '../../live/propagation/propagation-page';
import type { Body, Clock } from '../../observe';
import type { ClientAtCache, ClientThen } from '../../store/past/client-at-cache';
import { parseMoment } from '../../store/past/parse-moment';
import { takeSteps } from '../../workers/threads/take-steps';
import type { ClientRows } from './client-rows';
import type { KnownSettings } from './known-settings';

/** The client of a question. `at` is a moment as in the URL, by default now. */
export type ClientRef =
  | { readonly clientId: string; readonly at?: string | undefined }
  | { readonly permalinkId: string };

export interface RowsNow {
  readonly rows: readonly ResourceRow[];
  /** The time of the rows. Absent: the rows do not change. */
  readonly at?: EpochMs;
}

/** Rows that may change: a question gets the rows of the time at which its turn comes. */
export interface LiveRows {
  /** The name of the list, which remains the same when rows change. */
  readonly list: string;
  readonly read: () => RowsNow | Promise<RowsNow>;
  /** Bodies of the rows that the recorder does not have. Absent: it has all of them. */
  readonly bodies?: readonly Body[];
}

/** The subject of a question: one client now, at a time, or in a permalink. */
export interface ClientSubject {
  readonly client: ClientDetail;
  readonly rows: readonly ResourceRow[];
  readonly source: LiveRows;
  readonly reported: KnownSettings;
  readonly at: EpochMs;
  /** Equal revisions mean equal rows. */
  readonly revision: string;
  /** Absent if the subject is the client now. */
  readonly moment?: Moment;
  /** The moment as in the URL; absent for now and for a permalink. */
  readonly requested?: string;
  /** The rows are those that a permalink stored. */
  readonly isStored?: true;
  /** Absent: no source reports any. */
  readonly connections?: ReportedConnections;
  /** Absent: no source reports it as a test client. */
  readonly testClient?: ReportedTestClient;
  /** The compared resources that a permalink stored, if any. */
  readonly propagation?: PropagationComparison;
}

interface ClientSubjectsOptions {
  readonly clock: Clock;
  readonly live: Pick<LiveState, 'world' | 'revisionOf'>;
  readonly rows: Pick<ClientRows, 'find'>;
  readonly past: Pick<ClientAtCache, 'find' | 'findLastSeq' | 'findState'>;
  readonly freshnessOf: FreshnessOf;
  readonly findSettings: (clientId: string) => KnownSettings;
  readonly figuresOf?: FiguresOf;
}

export class ClientSubjects {
  readonly #options: ClientSubjectsOptions;

  constructor(options: ClientSubjectsOptions) {
    this.#options = options;
  }

  /** Returns undefined if there is no such client. `summary`: see buildClientDetail(). */
  findNow(id: string, summary?: ClientSummary): ClientDetail | undefined {
    const { live, freshnessOf, findSettings } = this.#options;
    const client = live.world.get(id);
    if (client === undefined) return undefined;
    return withSettings(buildClientDetail(client, freshnessOf, summary), findSettings(id));
  }

  /** `at` is a moment as in the URL, by default now; `field` is the name of that parameter. */
  async find(
    id: string,
    at: string | undefined,
    { field = 'at', signal }: { readonly field?: string; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ClientSubject | undefined> {
    if (at !== undefined) return this.#findThen(id, at, field, signal);
    const { clock, live, rows, freshnessOf } = this.#options;
    // The revision is read before the rows: if rows change meanwhile, they are newer than their revision, never older.
    const revision = String(live.revisionOf(id));
    const found = await rows.find(id);
    const known = this.#describe(id);
    if (found === undefined || known === undefined) return undefined;
    const read = async () => ({ rows: (await rows.find(id))?.rows ?? found.rows, at: clock.now() });
    const source = { list: `client ${id}`, read };
    const state = live.world.get(id);
    const testClient = state && findTestClient(state, freshnessOf);
    return { ...known, rows: found.rows, source, revision, ...(testClient && { testClient }) };
  }

  /** One of many clients now: its rows are built when the source is read, and are not kept. `list` is their name. */
  findOneOfMany(summary: ClientSummary, list: string): Omit<ClientSubject, 'rows'> | undefined {
    const { live, freshnessOf } = this.#options;
    const { id } = summary;
    const state = live.world.get(id);
    const known = this.#describe(id, summary);
    if (state === undefined || known === undefined) return undefined;
    const read = async () => ({ rows: await takeSteps(buildResourceRows(state, freshnessOf)) });
    return { ...known, source: { list, read }, revision: String(live.revisionOf(id)) };
  }

  #describe(
    id: string,
    summary?: ClientSummary,
  ): Pick<ClientSubject, 'client' | 'reported' | 'at' | 'connections'> | undefined {
    const { clock, live, findSettings, freshnessOf, figuresOf } = this.#options;
    const client = this.findNow(id, summary);
    const state = live.world.get(id);
    if (client === undefined || state === undefined) return undefined;
    const connections = findConnections(state, freshnessOf, figuresOf);
    const known = { client, reported: findSettings(id), at: clock.now() };
    return { ...known, ...(connections && { connections }) };
  }

  /** Returns the rows that one source reports, or undefined without such a client. `at` and `field`: see find(). */
  async findReportedRows(
    id: string,
    sourceId: string,
    at: string | undefined,
    field: string,
  ): Promise<readonly ResourceRow[] | undefined> {
    const { live, past, freshnessOf } = this.#options;
    const client =
      at === undefined
        ? live.world.get(id)
        : (await past.findState(id, parseMoment(at, field), field))?.client;
    if (client === undefined) return undefined;
    const reports = new Map([...client.reports].filter(([, report]) => report.sourceId === sourceId));
    return takeSteps(buildResourceRows({ ...client, reports }, freshnessOf));
  }

  /** Returns the last moment of the client in the form of `at`, or undefined if the log has no such client. */
  async findLastMoment(id: string): Promise<string | undefined> {
    const seq = await this.#options.past.findLastSeq(id);
    return seq === undefined ? undefined : `seq:${seq}`;
  }

  async #findThen(
    id: string,
    text: string,
    field: string,
    signal: AbortSignal | undefined,
  ): Promise<ClientSubject | undefined> {
    const { past, findSettings } = this.#options;
    const then: ClientThen | undefined = await past.find(id, parseMoment(text, field), field, signal);
    if (then === undefined) return undefined;
    const { detail, rows, at, moment, connections, testClient } = then;
    const reported = findSettings(id);
    return {
      client: { ...withSettings(detail, reported), moment },
      rows,
      // All moments share one list, because the next one replaces it.
      source: { list: `client ${id} ${field}`, read: async () => ({ rows }) },
      reported,
      at,
      revision: `seq ${moment.seq}`,
      requested: text,
      moment,
      ...(connections && { connections }),
      ...(testClient && { testClient }),
    };
  }
}

function withSettings(detail: ClientDetail, { asClient }: KnownSettings): ClientDetail {
  return asClient === null ? detail : { ...detail, asClient };
}
