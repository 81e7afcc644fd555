import { by, byDescending, inTurn } from '@/lib/collections/compare';
import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import { parseFilter } from '@/lib/filter/parse-filter';
import { rankMatch } from '@/lib/filter/rank-match';
import { type NackGroup, stateOfGroup } from '@/lib/nacks/nack-group';
import { resourceKey } from '@/lib/observation/client-state';
import { chooseReports, type FreshnessOf } from '@/lib/views/client/choose-report';
import { findResource } from '@/lib/views/client/client-resource';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import type { FoundResourceRow, SearchAnswer, SearchQuery } from '@/lib/views/search/schema';
import { searchGrammar } from '@/lib/views/search/search-grammar';
import { compareTypeUrls, formatResourceType } from '@/lib/xds/resource-type';
import { states } from '@/lib/xds/status';
import type { Clock } from '../../observe';
import { openLogQueue } from '../../store/recorder/log-queue';
import type { BodySource } from '../../store/recorder/recorder';
import { Compute } from '../../workers/compute';
import type { JobQueue } from '../../workers/job-queue';
import { takeSteps } from '../../workers/threads/take-steps';
import type { FleetIndex } from '../fleet/fleet-index';
import type { LiveState } from '../live-state';
import type { NackStore } from '../nacks/nack-store';
import { SearchFeed } from './search-feed';
import { type FoundResource, type FoundText, type SearchJobs, searchJobs } from './search-jobs';

interface FleetSearchParts {
  readonly live: Pick<LiveState, 'world' | 'watchRows'>;
  readonly freshnessOf: FreshnessOf;
  readonly recorder: BodySource;
  readonly fleet: Pick<FleetIndex, 'find'>;
  readonly nacks: Pick<NackStore, 'book'>;
  /** The threads of this process; by default threads of its own. */
  readonly compute?: Compute;
}

/** Payloads are read in steps, between which searches are answered. */
const jobsAtOnce = 4;

/** Searches the resources of all clients in a worker's index, and clients, versions and NACKs on the main thread. */
export class FleetSearch {
  readonly #parts: FleetSearchParts;
  readonly #queue: JobQueue<SearchJobs>;
  readonly #feed: SearchFeed;

  constructor(parts: FleetSearchParts) {
    this.#parts = parts;
    const { recorder, compute = new Compute() } = parts;
    this.#queue = openLogQueue(
      compute,
      searchJobs,
      recorder,
      { what: 'Search', owner: 'the search index', doing: 'searching', atOnce: jobsAtOnce },
      {},
    );
    this.#feed = new SearchFeed({ ...parts, queue: this.#queue });
  }

  /** Returns a function that stops it. */
  follow(clock: Pick<Clock, 'setTimeout'>): () => void {
    return this.#feed.follow(clock);
  }

  /** Resolves when the index has all changes so far. */
  update(): Promise<void> {
    return this.#feed.update();
  }

  async find({ q, limit }: SearchQuery, signal?: AbortSignal): Promise<SearchAnswer> {
    const { words, conditions, problems } = parseFilter(q, searchGrammar);
    const found = await this.#queue.run(
      'search',
      { words, conditions, limit },
      { signal, priority: 'urgent' },
    );
    const { members } = await this.#parts.fleet.find();
    // Expressions are about resources.
    const isOfAll = words.length > 0 && conditions.length === 0;
    const clients = await takeSteps(findClientsAndVersions(isOfAll ? members : [], words, limit));
    const { rowsLeftOut, payloadsWaiting, payloadsLeftOut } = found.state;
    return {
      resources: {
        items: found.resources.map(rowOf),
        total: found.total,
        isComplete: found.isComplete,
      },
      ...clients,
      nacks: findNacks(isOfAll ? this.#parts.nacks.book.groups.values() : [], words, limit),
      endpoints: found.endpoints.map(textOf),
      domains: found.domains.map(textOf),
      contents: found.byHash.flatMap((resource) => this.#withHash(resource, words, conditions)),
      problems: [...problems],
      index: { clientsBehind: this.#feed.behind, rowsLeftOut, payloadsWaiting, payloadsLeftOut },
    };
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  /** The index has 32 bits of each hash; the client has all of it. */
  #withHash(
    resource: FoundResource,
    words: readonly string[],
    conditions: readonly { readonly field: string; readonly value: string }[],
  ): (FoundResourceRow & { readonly hash: string })[] {
    const prefix = conditions.find(({ field }) => field === 'hash')?.value ?? words[0] ?? '';
    const client = this.#parts.live.world.get(this.#feed.clientIdOf(resource.owner) ?? '');
    const reports = client && chooseReports(client, this.#parts.freshnessOf);
    const hash = reports && findResource(reports, resourceKey(resource))?.state.hash;
    return hash?.startsWith(prefix) ? [{ ...rowOf(resource), hash }] : [];
  }
}

function rowOf({ typeUrl, name, clients, holders, probes, states: counts }: FoundResource): FoundResourceRow {
  return {
    ...{ typeUrl, service: formatResourceType(typeUrl), name, clients, holders, probes },
    states: states.flatMap((state, at) => {
      const count = counts[at] ?? 0;
      return count === 0 ? [] : [{ state, count }];
    }),
  };
}

function textOf({ text, resources }: FoundText) {
  return { text, resources: resources.map(rowOf) };
}

type Found = Pick<SearchAnswer, 'clients' | 'versions'>;

/** Clients whose node id, scope or cluster contains all words, and versions that do; the best matches first. */
function* findClientsAndVersions(
  members: readonly FleetMember[],
  words: readonly string[],
  limit: number,
): Steps<Found> {
  const [word = ''] = words;
  const clients: { readonly rank: number; readonly member: FleetMember }[] = [];
  const versions = new Map<string, Found['versions']['items'][number]>();
  const contains = (text: string): boolean => words.every((each) => text.includes(each));
  for (const [at, member] of members.entries()) {
    if (at % itemsPerStep === 0) yield;
    const { nodeId, scope, cluster, types } = member.summary;
    if (member.link?.kind !== 'whole' && contains(`${nodeId}\n${scope}\n${cluster}`.toLowerCase())) {
      clients.push({ rank: rankMatch(nodeId.toLowerCase(), word), member });
    }
    for (const { typeUrl, service, versions: some } of types) {
      for (const version of some) {
        if (version === '' || !contains(version.toLowerCase())) continue;
        const key = `${typeUrl}\u0000${version}`;
        const known = versions.get(key);
        versions.set(key, { typeUrl, service, version, clients: (known?.clients ?? 0) + 1 });
      }
    }
  }
  // Members are sorted by name, and the sort is stable.
  const sorted = clients.sort(by(({ rank }) => rank));
  const byRank = [...versions.values()].sort(
    inTurn(
      by((each) => rankMatch(each.version.toLowerCase(), word)),
      byDescending(({ clients }) => clients),
      by(({ typeUrl }) => typeUrl, compareTypeUrls),
      by(({ version }) => version),
    ),
  );
  return {
    clients: {
      items: sorted.slice(0, limit).map(({ member: { summary } }) => {
        const { id, nodeId, scope, worst, trouble } = summary;
        return { id, nodeId, scope, worst, trouble };
      }),
      total: clients.length,
    },
    versions: { items: byRank.slice(0, limit), total: versions.size },
  };
}

const textChars = 200;

/** NACKs whose error message or resource contains all words: open ones first, then the newest. */
function findNacks(
  groups: Iterable<NackGroup>,
  words: readonly string[],
  limit: number,
): SearchAnswer['nacks'] {
  const found = [...groups]
    .filter(({ name, text }) => {
      const all = `${name}\n${text}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .map((group) => ({ group, state: stateOfGroup(group) }))
    .sort(
      inTurn(
        byDescending((each) => each.state === 'open'),
        byDescending((each) => each.group.lastAt),
      ),
    );
  return {
    items: found.slice(0, limit).map(({ group, state }) => ({
      id: group.id,
      service: formatResourceType(group.typeUrl),
      name: group.name,
      text: group.text.slice(0, textChars),
      state,
      clients: group.clients.size + group.clientsLeftOut,
      lastAt: group.lastAt,
    })),
    total: found.length,
  };
}
