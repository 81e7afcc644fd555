import type { QueryKey } from '@tanstack/react-query';
import { byDescending } from '@/lib/collections/compare';
import type { ClientDetail, ClientSummary } from '@/lib/views/client/schema';
import type { NotableEvent } from '@/lib/views/events/schema';
import { eventKey } from '@/lib/views/history/event-key';
import type { FileImport } from '@/lib/views/recording/import-schema';
import type { Replay } from '@/lib/views/recording/replay-schema';
import { patchResourcePages } from '@/lib/views/resources/patch-resource-pages';
import { resourceQuestionOf } from '@/lib/views/resources/resource-question';
import { isRunning } from '@/lib/views/sources/is-running';
import type { Source } from '@/lib/views/sources/schema';
import type { StreamChange } from '@/lib/views/stream/schema';
import { type ClientPart, clientKey, subjectKey } from '../_ask/client-subject';
import { eventsQuestion, fleetKeys } from '../_ask/common-questions';
import { historyNewestOptions } from '../_ask/history';
import { questionKey } from '../_ask/question';
import type { ResourcePages, RowsQuery } from '../_ask/resource-pages';

/** The part of a QueryClient that folding needs. Data that was never requested is absent, and stays absent. */
export interface LiveCache {
  getQueryData<T>(key: QueryKey): T | undefined;
  setQueryData<T>(key: QueryKey, data: T): unknown;
  /** All data whose keys have this prefix. */
  getQueriesData<T>(filters: { readonly queryKey: QueryKey }): [QueryKey, T | undefined][];
}

type ChangeOf<Type extends StreamChange['type']> = Extract<StreamChange, { readonly type: Type }>;

/**
 * Folds changes into the cache, each list once. MUTATES the cache. Returns the keys of data that must be
 * reloaded, each once.
 */
export function applyChanges(cache: LiveCache, changes: readonly StreamChange[]): QueryKey[] {
  const again = new Map<string, QueryKey>();
  const readAgain = (key: QueryKey) => again.set(JSON.stringify(key), key);
  const events: NotableEvent[] = [];
  const sources = new Map<string, Source | null>();
  const replays = new Map<string, Replay | null>();
  const imports = new Map<string, FileImport | null>();

  for (const change of changes) {
    switch (change.type) {
      case 'client':
        if (patchDetail(cache, change.client)) readAgain(clientKey(change.client.id, 'detail'));
        break;
      case 'client-removed':
        readAgain(subjectKey({ clientId: change.clientId }));
        break;
      case 'fleet':
        for (const key of fleetKeys) readAgain(key);
        break;
      case 'event':
        events.push(change.event);
        break;
      case 'source':
        sources.set(change.source.id, change.source);
        readAgain(['health']);
        break;
      case 'source-removed':
        sources.set(change.sourceId, null);
        readAgain(['health']);
        break;
      case 'resources':
        patchResources(cache, change);
        readAgain([...clientKey(change.clientId, 'resources'), 'answer']);
        for (const key of madeOfRows(cache, change.clientId)) readAgain(key);
        break;
      case 'resources-renewed':
        readAgain(clientKey(change.clientId, 'detail'));
        readAgain(clientKey(change.clientId, 'resources'));
        for (const key of madeOfRows(cache, change.clientId)) readAgain(key);
        break;
      case 'history': {
        const key = historyNewestOptions(change.clientId ?? '').queryKey;
        if (cache.getQueryData<number>(key) !== undefined) cache.setQueryData(key, change.newestSeq);
        break;
      }
      case 'replay':
        replays.set(change.replay.id, change.replay);
        break;
      case 'replay-removed':
        replays.set(change.replayId, null);
        break;
      case 'import':
        imports.set(change.import.id, change.import);
        break;
      case 'import-removed':
        imports.set(change.importId, null);
        break;
      case 'lab':
        cache.setQueryData(questionKey('lab', {}), change.lab);
        readAgain(questionKey('lab/resources', {}));
        break;
      case 'load':
        readAgain(change.clientId === null ? ['load'] : clientKey(change.clientId, 'load'));
        break;
      case 'nacks':
        readAgain(['nacks']);
        break;
      case 'issues':
        readAgain(['issues']);
        break;
    }
  }

  if (replays.size > 0)
    patchList<Replay>(cache, questionKey('replays', {}), (list) => upsertById(list, replays));
  if (imports.size > 0)
    patchList<FileImport>(cache, questionKey('imports', {}), (list) => upsertById(list, imports, 'first'));
  if (sources.size > 0)
    patchList<Source>(cache, questionKey('sources', {}), (list) => upsertById(list, sources));
  if (events.length > 0) {
    patchList<NotableEvent>(cache, questionKey('events', eventsQuestion), (list) =>
      prependEvents(list, events),
    );
  }
  return [...again.values()];
}

/**
 * Derived data of the clients whose import these changes end. Call it before the changes are folded into the
 * cache.
 */
export function keysOfEndedImports(cache: LiveCache, changes: readonly StreamChange[]): QueryKey[] {
  const known = cache.getQueryData<ListOf<FileImport>>(questionKey('imports', {}))?.items ?? [];
  const running = new Set(known.filter(isRunning).map(({ id }) => id));
  const clients = changes.flatMap((change) =>
    change.type === 'import' && !isRunning(change.import) && running.has(change.import.id)
      ? change.import.clientIds
      : [],
  );
  return [...new Set(clients)].flatMap((clientId) => madeOfRows(cache, clientId));
}

/** The parts of a client that the stream carries, or whose changes it reports separately. */
const ownChanges: ReadonlySet<unknown> = new Set<ClientPart>(['resources', 'detail', 'load']);

/** Keys of the cached data that the server derives from the rows of a client, one for each question. */
function madeOfRows(cache: LiveCache, clientId: string): QueryKey[] {
  const subject = subjectKey({ clientId });
  const known = cache.getQueriesData({ queryKey: subject }).map(([key]) => key[subject.length]);
  return [...new Set(known)].filter((part) => !ownChanges.has(part)).map((part) => [...subject, part]);
}

interface ListOf<T> {
  readonly items: readonly T[];
}

function patchList<T>(cache: LiveCache, key: QueryKey, patch: (list: readonly T[]) => readonly T[]): void {
  const answer = cache.getQueryData<ListOf<T>>(key);
  if (answer !== undefined) cache.setQueryData(key, { ...answer, items: patch(answer.items) });
}

/** True if the parts of the node that a summary omits may have changed as well. */
function patchDetail(cache: LiveCache, client: ClientSummary): boolean {
  const key = clientKey(client.id, 'detail');
  const detail = cache.getQueryData<ClientDetail>(key);
  if (detail === undefined) return false;
  cache.setQueryData<ClientDetail>(key, { ...detail, ...client });
  const identityOf = ({ cluster, userAgent, locality }: ClientSummary) =>
    JSON.stringify([cluster, userAgent, locality]);
  return identityOf(detail) !== identityOf(client);
}

/** Replaces items in place, adds new ones, and removes those that are null. */
export function upsertById<T extends { readonly id: string }>(
  list: readonly T[],
  changed: ReadonlyMap<string, T | null>,
  newOnes: 'first' | 'last' = 'last',
): T[] {
  const left = new Map(changed);
  const kept: T[] = [];
  for (const item of list) {
    const replacement = left.get(item.id);
    left.delete(item.id);
    if (replacement === undefined) kept.push(item);
    else if (replacement !== null) kept.push(replacement);
  }
  const added = [...left.values()].filter((item) => item !== null);
  return newOnes === 'last' ? [...kept, ...added] : [...added.reverse(), ...kept];
}

function patchResources(cache: LiveCache, change: ChangeOf<'resources'>): void {
  const queryKey = [...clientKey(change.clientId, 'resources'), 'pages'];
  for (const [key, data] of cache.getQueriesData<ResourcePages>({ queryKey })) {
    if (data === undefined) continue;
    // As in resourcePagesOptions().
    const question = resourceQuestionOf(key.at(-1) as RowsQuery, Date.now());
    const pages = patchResourcePages(data.pages, change, question);
    if (pages.some((page, index) => page !== data.pages[index])) cache.setQueryData(key, { ...data, pages });
  }
}

/** Newest first, without duplicates: an event may be repeated after a reconnect. */
export function prependEvents(
  list: readonly NotableEvent[],
  events: readonly NotableEvent[],
): NotableEvent[] {
  const bySeq = new Map([...list, ...events].map((event) => [eventKey(event), event]));
  return [...bySeq.values()].sort(byDescending(({ seq }) => seq)).slice(0, eventsQuestion.limit);
}
