import type { IssueAt } from '@/lib/issues/issue-at';
import type { IssueCause } from '@/lib/issues/issue-record';
import { isOfServer } from '@/lib/issues/server-impact';
import type { Issue } from '@/lib/views/issues/schema';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { KeptWork } from '../../workers/kept-work';
import type { LoadReader } from '../load/load-reader';

/** Requests stop when every RPC fails, so that the time before the onset is measured. */
const beforeMs = 10 * 60_000;
const mostKept = 500;

/** The share of the measured requests that the clients of an issue sent before it began. */
export class MeasuredShare {
  readonly #loads: Pick<LoadReader, 'read'>;

  /** The keys consist of the issue, its onset and its clients. */
  readonly #known = new KeptWork<Issue['requests']>(mostKept);

  constructor(loads: Pick<LoadReader, 'read'>) {
    this.#loads = loads;
  }

  /**
   * Resolves to undefined if no client reported load in that time, or if load reports do not show which requests the issue is
   * about: they name clusters, and no listeners or routes.
   */
  async find(issue: IssueAt, signal?: AbortSignal): Promise<Issue['requests']> {
    const { record, since, periods } = issue;
    if (!isMeasured(record.cause)) return undefined;
    const key = `${record.id} ${since} ${periods.length} ${periods.at(-1)?.clientId}`;
    return this.#known.run(key, signal, (stop) => this.#read(issue, stop));
  }

  async #read(
    { record, since, periods }: IssueAt,
    signal: AbortSignal | undefined,
  ): Promise<Issue['requests']> {
    const { typeUrl, name } = record.cause;
    const cluster = (typeUrl === CDS.typeUrl || typeUrl === EDS.typeUrl) && name !== '' ? name : undefined;
    const clients = new Set(periods.map(({ clientId }) => clientId));
    const [all, own] = await Promise.all([
      this.#requests(since, undefined, signal),
      this.#requests(since, cluster, signal),
    ]);
    const ofAll = sum(all.values());
    if (ofAll === 0n) return undefined;
    const count = sum([...own].flatMap(([clientId, requests]) => (clients.has(clientId) ? [requests] : [])));
    // Clusters report load by their own names, which those of their endpoints need not be.
    if (typeUrl === EDS.typeUrl && count === 0n) return undefined;
    const share = Number((count * 1_000_000n) / ofAll) / 1_000_000;
    return { count: String(count), ofAll: String(ofAll), share };
  }

  /** Completed requests by client. */
  async #requests(
    until: number,
    cluster: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Map<string, bigint>> {
    const { groups } = await this.#loads.read(
      {
        by: 'client',
        ...(cluster !== undefined && { cluster }),
        span: { from: until - beforeMs, to: until },
        stepMs: null,
        measures: [],
        limit: Number.MAX_SAFE_INTEGER,
      },
      signal,
    );
    return new Map(
      groups.map(({ key: { clientId = '' }, totals: { successful, errors } }) => [
        clientId,
        BigInt(successful) + BigInt(errors),
      ]),
    );
  }
}

/** An issue is about one cluster, or about all requests of its clients. */
function isMeasured(cause: IssueCause): boolean {
  const { typeUrl, name, kind } = cause;
  const isOfCluster = (typeUrl === CDS.typeUrl || typeUrl === EDS.typeUrl) && name !== '';
  return isOfCluster || isOfServer(cause) || kind === 'notice';
}

function sum(counts: Iterable<bigint>): bigint {
  let total = 0n;
  for (const count of counts) total += count;
  return total;
}
