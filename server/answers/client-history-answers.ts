import { isDeepStrictEqual } from 'node:util';
import { grpcProfileOf } from '@/lib/lb/grpc-profile';
import type { QueryOf } from '@/lib/questions/question';
import { namedProfile } from '@/lib/resolve/client-profile';
import type { Tear } from '@/lib/resolve/find-tears';
import { findTrust } from '@/lib/resolve/validate-row';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { RecordedQuestions, StoredHistoryQuestions } from '@/lib/views/client-questions';
import type { FailoverHistory } from '@/lib/views/failover/periods-schema';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { LiveState } from '../live/live-state';
import type { Clock } from '../observe';
import { flushLog } from '../store/recorder/flush-log';
import type { Recorder } from '../store/recorder/recorder';
import type { GraphBuilder } from './graph/graph-builder';
import { judgingBy, trafficProfiles } from './resolved/resolved-query';
import type { SplitEpochsQuestion } from './resolved/resolved-questions';
import type { ClientSubjects } from './subjects/client-subjects';
import type { KnownSettings } from './subjects/known-settings';
import { newestMomentOf } from './subjects/newest-moment';

type TearsQuery = QueryOf<RecordedQuestions['tears']>;
type FailoversQuery = QueryOf<StoredHistoryQuestions['failovers']>;

interface ClientHistoryAnswersOptions {
  readonly clock: Clock;
  readonly live: Pick<LiveState, 'revisionOf' | 'world'>;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats'>;
  readonly graphs: GraphBuilder;
  readonly subjects: ClientSubjects;
  readonly findSettings: (clientId: string) => KnownSettings;
}

/** Answers from the history of one client are undefined if there is no such client. */
export class ClientHistoryAnswers {
  readonly #options: ClientHistoryAnswersOptions;

  constructor(options: ClientHistoryAnswersOptions) {
    this.#options = options;
  }

  async tears(id: string, query: TearsQuery, signal?: AbortSignal): Promise<Tears | undefined> {
    const { clock, graphs, recorder, findSettings } = this.#options;
    const found = await this.#findWhose(id);
    if (found === undefined) return undefined;
    const { client, revision } = found;
    const { target, listener } = query;
    const profile = namedProfile(query.profile, client);
    const { templates, certificateProviders } = findSettings(id);
    const judging = judgingBy(profile, client, findTrust, query.profile);
    const until = Math.min(query.to ?? Number.POSITIVE_INFINITY, clock.now());
    const from = query.from ?? 0;
    await flushLog(recorder);
    // A history without an end is read again when the client changes.
    const name = `${query.to === undefined ? revision : `to ${until}`} from ${query.from ?? 'its newest part'}`;
    const past = {
      list: `client ${id} ${name}`,
      clientId: id,
      until,
      signal,
      ...(query.from !== undefined && { from }),
    };
    const reported = await graphs.askPast('tears', past, {
      target,
      listener,
      templates,
      certificateProviders,
      ...judging,
      from,
      until,
    });
    const items = nearest(reported.tears, query).map(({ resources, fromAt, toAt, ...tear }) => ({
      ...tear,
      fromAt,
      toAt,
      resources: resources.map((each) => ({ ...each, service: formatResourceType(each.typeUrl) })),
    }));
    return {
      clientId: id,
      profile,
      from,
      to: until,
      start: reported.start,
      beginsAt: reported.beginsAt,
      hasOlder: reported.hasOlder,
      isCut: reported.isCut,
      reportedTo: reported.reportedTo,
      total: reported.tears.length,
      items,
    };
  }

  /** Returns which priority of a cluster received traffic when. */
  async failovers(
    id: string,
    query: FailoversQuery,
    signal?: AbortSignal,
  ): Promise<FailoverHistory | undefined> {
    const { clock, live, graphs, recorder, findSettings } = this.#options;
    const found = await this.#findWhose(id);
    if (found === undefined) return undefined;
    const { client, revision } = found;
    const { target, listener, cluster, requests, limit } = query;
    const newest = newestMomentOf(clock, (clientId) => live.world.get(clientId))(id);
    const profile = namedProfile(query.profile, client);
    const { templates, certificateProviders } = findSettings(id);
    const until = Math.min(query.to ?? Number.POSITIVE_INFINITY, newest);
    const from = query.from ?? 0;
    await flushLog(recorder);
    const name = query.to === undefined ? revision : `to ${until}`;
    const past = { list: `client ${id} ${name}`, clientId: id, until, signal };
    const traffic = trafficProfiles(query.profile, client);
    const resolving = { target, listener, templates, certificateProviders, ...traffic };
    const reported = await graphs.askPast('failovers', past, { ...resolving, cluster, requests });
    const within = reported.periods.filter(({ toAt }) => (toAt ?? until) >= from);
    return {
      clientId: id,
      profile: grpcProfileOf(profile),
      from,
      to: until,
      cluster: reported.cluster,
      beginsAt: reported.beginsAt,
      hasOlder: reported.hasOlder,
      isCut: reported.isCut,
      total: within.length,
      items: within.slice(-limit).map(({ places, ...period }, at, shown) => ({
        ...period,
        places: at > 0 && isDeepStrictEqual(places, shown[at - 1]?.places) ? undefined : [...places],
        priorities: [...period.priorities],
        envoy: [...period.envoy],
        grpcSentences: [...period.grpcSentences],
        envoySentences: [...period.envoySentences],
      })),
    };
  }

  /** Returns the periods until a time in which the config implied the same split of the requests to a cluster. */
  async splitEpochs(
    id: string,
    {
      cluster,
      rules,
      by,
      to,
    }: Pick<SplitEpochsQuestion, 'cluster' | 'rules' | 'by'> & { readonly to?: EpochMs },
    signal?: AbortSignal,
  ) {
    const { clock, graphs, recorder, findSettings } = this.#options;
    const found = await this.#findWhose(id);
    if (found === undefined) return undefined;
    const { client, revision } = found;
    const { templates, certificateProviders } = findSettings(id);
    const until = Math.min(to ?? Number.POSITIVE_INFINITY, clock.now());
    await flushLog(recorder);
    const name = to === undefined ? revision : `to ${until}`;
    const past = { list: `client ${id} ${name}`, clientId: id, until, signal };
    const traffic = trafficProfiles(undefined, client);
    const resolving = { templates, certificateProviders, ...traffic };
    return graphs.askPast('splitEpochs', past, { ...resolving, cluster, rules, by });
  }

  /** Finds a client of the log, which may no longer be reported. */
  async #findWhose(
    id: string,
  ): Promise<{ readonly client: ClientDetail; readonly revision: string } | undefined> {
    const { live, subjects } = this.#options;
    const client = subjects.findNow(id);
    if (client !== undefined) return { client, revision: `revision ${live.revisionOf(id)}` };
    const last = await subjects.findLastMoment(id);
    const then = last === undefined ? undefined : await subjects.find(id, last);
    return then && { client: then.client, revision: then.revision };
  }
}

/** Returns the tears of the requested time, in order; if they exceed the limit, those nearest to its beginning. */
function nearest(tears: readonly Tear[], query: TearsQuery): readonly Tear[] {
  const { beganAfter: after, beganBefore: before, limit } = query;
  const wanted = tears.filter(
    ({ fromAt }) => (after === undefined || fromAt > after) && (before === undefined || fromAt < before),
  );
  return after === undefined ? wanted.slice(-limit) : wanted.slice(0, limit);
}
