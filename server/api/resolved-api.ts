import type { References, Resolved, Tears } from '@/lib/api/resolved';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';
import { profileOfClient } from '@/lib/resolve/client-profile';
import { findTrust } from '@/lib/resolve/judge-row';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { LiveState } from '../live/live-state';
import type { Clock } from '../observe';
import type { Recorder } from '../recorder/recorder';
import { type ClientViews, momentOf } from './client-views';
import type { GraphBuilder } from './graph-builder';
import { parseInput } from './parse-input';
import { readAt } from './past/read-at';
import { referencesQuery } from './references-page';
import { parseResolvedQuery, parseTearsQuery, resolverQuestion } from './resolved-query';
import { settleLog } from './settle-log';
import type { ToldClient } from './told-client';

export interface ResolvedApiOptions {
  readonly clock: Clock;
  readonly live: Pick<LiveState, 'revisionOf'>;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats'>;
  readonly graphs: GraphBuilder;
  readonly views: ClientViews;
  readonly findTold: (clientId: string) => ToldClient;
}

const tearsListed = 500;

/** What clients make of their resources. Each answers undefined when there is no such client. */
export class ResolvedApi {
  constructor(private readonly options: ResolvedApiOptions) {}

  async references(id: string, input: unknown): Promise<References | undefined> {
    const page = parseInput(referencesQuery, input);
    const view = await this.options.views.find(id, readAt(input));
    if (view === undefined) return undefined;
    return { ...(await this.options.graphs.references(view.source, page)), ...momentOf(view) };
  }

  async find(id: string, input: unknown): Promise<Resolved | undefined> {
    const query = parseResolvedQuery(input);
    const view = await this.options.views.find(id, query.at);
    if (view === undefined) return undefined;
    const { client, told, source, at, revision, moment } = view;
    const question = resolverQuestion(query, { ...client, told });
    const answer = await this.options.graphs.resolve(source, question);
    const missing = moment === undefined || moment.incomplete === '' ? [] : [moment.incomplete];
    return { clientId: id, at, revision, ...answer, notes: [...missing, ...answer.notes], ...momentOf(view) };
  }

  async tears(id: string, input: unknown): Promise<Tears | undefined> {
    const { clock, live, graphs, views, recorder, findTold } = this.options;
    const query = parseTearsQuery(input);
    const client = views.findNow(id);
    if (client === undefined) return undefined;
    const { target, listener, errors, profile = profileOfClient(client) } = query;
    const { templates, certificateProviders } = findTold(id);
    const { userAgentName } = client.node;
    const trust = findTrust({ profile, userAgentName, reports: client.reports });
    const until = query.to === undefined ? clock.now() : Math.min(Date.parse(query.to), clock.now());
    const from = query.from === undefined ? 0 : Date.parse(query.from);
    await settleLog(recorder);
    // Without an end it is told anew as soon as the client changes.
    const name = query.to === undefined ? `revision ${live.revisionOf(id)}` : `to ${until}`;
    const past = { list: `client ${id} ${name}`, clientId: id, until };
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
}
