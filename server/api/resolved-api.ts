import type { References, Resolved, Tears } from '@/lib/api/resolved';
import type { ClientDetail, ResourceRow } from '@/lib/api/schema';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';
import { profileOfClient } from '@/lib/resolve/client-profile';
import { findTrust } from '@/lib/resolve/judge-row';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { LiveState } from '../live/live-state';
import type { Clock } from '../observe';
import type { Recorder } from '../recorder/recorder';
import type { GraphBuilder, LiveRows } from './graph-builder';
import type { HistoryExtent } from './history-rows';
import { parseInput } from './parse-input';
import { referencesQuery } from './references-page';
import { parseResolvedQuery, parseTearsQuery, resolverQuestion } from './resolved-query';
import type { ToldClient } from './told-client';

export interface ResolvedApiOptions {
  readonly clock: Clock;
  readonly live: Pick<LiveState, 'revisionOf'>;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats'>;
  readonly graphs: GraphBuilder;
  readonly findClient: (id: string) => ClientDetail | undefined;
  readonly findTold: (clientId: string) => ToldClient;
  readonly listResources: (id: string) => Promise<readonly ResourceRow[] | undefined>;
  readonly liveRows: (id: string, found: readonly ResourceRow[]) => LiveRows;
}

const tearsListed = 500;

/** What clients make of their resources. Each answers undefined when there is no such client. */
export class ResolvedApi {
  constructor(private readonly options: ResolvedApiOptions) {}

  async references(id: string, input: unknown): Promise<References | undefined> {
    const page = parseInput(referencesQuery, input);
    const rows = await this.options.listResources(id);
    return rows && this.options.graphs.references(this.options.liveRows(id, rows), page);
  }

  async find(id: string, input: unknown): Promise<Resolved | undefined> {
    const { clock, live, graphs, findClient, findTold, listResources, liveRows } = this.options;
    const query = parseResolvedQuery(input);
    const rows = await listResources(id);
    const client = findClient(id);
    if (client === undefined || rows === undefined) return undefined;
    const question = resolverQuestion(query, { ...client, told: findTold(id) });
    const at = Date.parse(query.at ?? '');
    if (at < clock.now()) {
      await this.settle();
      const past = { list: `client ${id} at ${at}`, clientId: id, until: at, today: rows };
      const { beginsAt, isCut, ...answer } = await graphs.resolvePast(past, question);
      const notes = [...notesOf({ beginsAt, isCut }, at), ...answer.notes];
      return { clientId: id, at: formatIsoTime(at), revision: `at ${at}`, ...answer, notes };
    }
    const revision = String(live.revisionOf(id));
    const answer = await graphs.resolve(liveRows(id, rows), question);
    return { clientId: id, at: formatIsoTime(clock.now()), revision, ...answer };
  }

  async tears(id: string, input: unknown): Promise<Tears | undefined> {
    const { clock, live, graphs, findClient, findTold } = this.options;
    const query = parseTearsQuery(input);
    const client = findClient(id);
    if (client === undefined) return undefined;
    const { target, listener, errors, profile = profileOfClient(client) } = query;
    const { templates, certificateProviders } = findTold(id);
    const { userAgentName } = client.node;
    const trust = findTrust({ profile, userAgentName, reports: client.reports });
    const until = query.to === undefined ? clock.now() : Math.min(Date.parse(query.to), clock.now());
    const from = query.from === undefined ? 0 : Date.parse(query.from);
    await this.settle();
    // Without an end it is told anew as soon as the client changes.
    const name = query.to === undefined ? `revision ${live.revisionOf(id)}` : `to ${until}`;
    const past = { list: `client ${id} ${name}`, clientId: id, until, today: [] };
    const found = await graphs.tears(past, {
      target,
      listener,
      templates,
      certificateProviders,
      trust,
      profile,
      errors,
      from,
      until,
    });
    const items = found.tears.slice(-tearsListed).map(({ resources, fromAt, toAt, ...tear }) => ({
      ...tear,
      fromAt: formatIsoTime(fromAt),
      toAt: formatIsoTimeOrNull(toAt),
      resources: resources.map((each) => ({ ...each, service: formatResourceType(each.typeUrl) })),
    }));
    return {
      clientId: id,
      profile,
      errors,
      from: formatIsoTime(from),
      to: formatIsoTime(until),
      start: found.start,
      beginsAt: formatIsoTimeOrNull(found.beginsAt),
      isCut: found.isCut,
      total: found.tears.length,
      items,
    };
  }

  /** The log is read from the disk: what was just observed must be there. While it cannot, what is there is told. */
  private async settle(): Promise<void> {
    if (this.options.recorder.stats().state === 'recording') await this.options.recorder.flushed();
  }
}

function notesOf({ beginsAt, isCut }: HistoryExtent, at: number): string[] {
  const notes: string[] = [];
  if (beginsAt === null || beginsAt > at) {
    notes.push('the log does not reach back to this moment: what has changed since then is not here');
  }
  if (isCut) notes.push('the log holds more of this client than is read for one question');
  return notes;
}
