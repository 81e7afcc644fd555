import type { QueryKey } from '@tanstack/react-query';
import type { StreamNotice, StreamTopic } from '@/lib/views/stream/schema';
import { type ClientPart, clientKey, subjectKey } from '../_ask/client-subject';
import { fleetKeys } from '../_ask/common-questions';
import { historyNewestOptions } from '../_ask/history';

/** The part of a QueryClient that finds what is cached. */
export interface KnownQueries {
  /** All data whose keys have this prefix. */
  getQueriesData(filters: { readonly queryKey: QueryKey }): (readonly [QueryKey, unknown])[];
}

/** The parts of a client whose changes have notices of their own. */
const withOwnNotices: ReadonlySet<unknown> = new Set<ClientPart>(['load']);

/** The prefixes of the keys of what a notice is about. Of a client, only parts that are cached: one prefix for each question. */
export function keysOf(cache: KnownQueries, notice: StreamNotice): readonly QueryKey[] {
  switch (notice) {
    case 'fleet':
      return fleetKeys;
    case 'fleet/events':
      return [['events']];
    case 'sources':
      return [['sources'], ['health']];
    case 'sources/imports':
      return [['imports']];
    case 'sources/replays':
      return [['replays']];
    case 'lab':
    case 'load':
    case 'nacks':
    case 'issues':
      return [[notice]];
    case 'history':
      return [historyNewestOptions('').queryKey];
    default:
      return keysOfClient(cache, notice);
  }
}

function keysOfClient(cache: KnownQueries, notice: `client:${string}`): readonly QueryKey[] {
  const [clientId = '', part] = notice.slice('client:'.length).split('/');
  if (part === 'history') return [historyNewestOptions(clientId).queryKey];
  if (part === 'load' || part === 'detail') return [clientKey(clientId, part)];
  const subject = subjectKey({ clientId });
  const known = cache.getQueriesData({ queryKey: subject }).map(([key]) => key[subject.length]);
  return [...new Set(known)].filter((each) => !withOwnNotices.has(each)).map((each) => [...subject, each]);
}

/** The prefixes of the keys of everything that a topic has notices about. */
export function keysOfTopic(cache: KnownQueries, topic: StreamTopic): readonly QueryKey[] {
  const notices = partsOf(topic).map((part) => `${topic}/${part}` as StreamNotice);
  return [topic, ...notices].flatMap((notice) => keysOf(cache, notice));
}

/** The parts that notices name and that the topic itself does not include. */
function partsOf(topic: StreamTopic): readonly string[] {
  if (topic === 'fleet') return ['events'];
  if (topic === 'sources') return ['imports', 'replays'];
  return topic.startsWith('client:') ? ['load', 'history'] : [];
}
