import { by } from '../../collections/compare';
import { formatCondition } from '../../filter/format-filter';
import { rankMatch } from '../../filter/rank-match';
import { formatCount, formatCounted } from '../../format/count';
import { formatExactTime } from '../../format/exact-time';
import { formatIsoTime } from '../../format/iso-time';
import { formatName } from '../../format/names/format-name';
import type { TimeContext } from '../../time/time-expression';
import { fixTime, formatTimeEdge, parseTime } from '../../time/time-expression';
import { formatResourceRef } from '../resources/resource-ref';
import { buildClientItems } from './build-client-items';
import { type ClientPhrase, pastTime } from './client-phrase';
import { type PaletteGroup, type PaletteGroupName, type PaletteItem, paletteGroups } from './palette-item';
import type { FoundResourceRow, SearchAnswer } from './schema';

export interface PaletteInput extends TimeContext {
  readonly text: string;
  /** The path and the query of the page. */
  readonly path: string;
  readonly search: string;
  /** Pages, then actions of the page and of the program. */
  readonly places: readonly PaletteItem[];
  readonly actions: readonly PaletteItem[];
  readonly recent: readonly PaletteItem[];
  /** undefined: there is no answer to the text yet. */
  readonly answer: SearchAnswer | undefined;
  /** The client phrase of the text, and the clients that its words find; absent: the text has none. */
  readonly ofClient?: {
    readonly phrase: ClientPhrase;
    readonly clients: SearchAnswer['clients']['items'];
    readonly others: SearchAnswer['clients']['items'];
  };
}

const perGroup = 6;
const longestTitle = 200;

/**
 * Lists the items of the search box: without a text, recent choices, actions and pages; otherwise everything that
 * matches.
 */
export function buildPalette(input: PaletteInput): PaletteGroup[] {
  const text = input.text.trim();
  if (text === '') {
    return grouped([...input.recent, ...input.actions, ...input.places]);
  }
  const words = text.toLowerCase().split(/\s+/);
  return grouped([
    ...buildTimes(text, input),
    ...buildRequest(input),
    ...(input.ofClient === undefined
      ? []
      : buildClientItems(input.ofClient.phrase, input.ofClient.clients, input.ofClient.others, input)),
    ...matching(input.actions, words),
    ...matching(input.places, words),
    ...(input.answer === undefined ? [] : buildFound(input.answer, perGroup)),
    ...(input.answer === undefined ? [] : buildAll(input.answer, text)),
  ]);
}

/** Lists the results of a search, with at most `most` items of each group. */
export function buildResults(answer: SearchAnswer, most: number): PaletteGroup[] {
  return grouped(buildFound(answer, most));
}

function grouped(items: readonly PaletteItem[]): PaletteGroup[] {
  const names = Object.keys(paletteGroups) as PaletteGroupName[];
  return names.flatMap((name) => {
    const own = items.filter(({ group }) => group === name);
    return own.length === 0 ? [] : [{ name, items: own }];
  });
}

/** Items whose title and label contain all words, the best match first. */
function matching(items: readonly PaletteItem[], words: readonly string[]): PaletteItem[] {
  const [first = ''] = words;
  return items
    .map((item) => ({ item, all: `${item.title} ${item.label}`.toLowerCase() }))
    .filter(({ all }) => words.every((word) => all.includes(word)))
    .sort(by((each) => rankMatch(each.all, first)))
    .slice(0, perGroup)
    .map(({ item }) => item);
}

/** A typed request is explained at the client of the page, which keeps its moment, and at all clients. */
function buildRequest({ path, search, ofClient }: PaletteInput): PaletteItem[] {
  const base = findClientPath(path);
  const phrase = ofClient?.phrase;
  if (phrase?.kind !== 'explain' || phrase.client !== '') return [];
  const item = (label: string, href: string): PaletteItem => ({
    ...{ id: `request ${href}`, group: 'actions', label, detail: '' },
    ...{ title: `Explain ${cut(phrase.request)}`, target: { href } },
  });
  const query = new URLSearchParams({ request: phrase.request });
  const ofAll = item('all clients', `/explain?${query}`);
  if (base === undefined) return [ofAll];
  const at = new URLSearchParams(search).get('at');
  if (at !== null) query.set('at', at);
  return [item('this client', `${base}/explain?${query}`), ofAll];
}

/** The part of a path that names a client or a permalink; undefined on other pages. */
export function findClientPath(path: string): string | undefined {
  return /^(\/clients\/[0-9a-fx][0-9a-f]{15}|\/p\/[\w-]+)(?:\/|$)/.exec(path)?.[1];
}

const clientPage = /^\/clients\/[0-9a-fx][0-9a-f]{15}(?:\/|$)/;
const aroundMs = 5 * 60_000;

/** A typed time opens the page of a client at that moment, the history around it, and what was pushed since. */
function buildTimes(text: string, { path, search, ...context }: PaletteInput): PaletteItem[] {
  const at = pastTime(text, context);
  if (at === null) return [];
  const exact = formatExactTime(at, context.timeZone);
  const item = (title: string, href: string): PaletteItem => ({
    ...{ id: `time ${href}`, group: 'times', title, label: '', detail: exact, target: { href } },
  });
  const [from = '', to = ''] = [at - aroundMs, at + aroundMs].map((end) =>
    encodeURIComponent(formatIsoTime(end)),
  );
  const history = item('Show the history around this time', `/history?from=${from}&to=${to}`);
  const parsed = parseTime(text);
  const since = parsed.ok ? formatTimeEdge(fixTime(parsed.time, context)) : '';
  const pushes = item(
    'Show the pushes since this time',
    `/pushes?${new URLSearchParams({ from: since, to: 'now' })}`,
  );
  if (!clientPage.test(path)) return [history, pushes];
  const query = new URLSearchParams(search);
  query.set('at', formatIsoTime(at));
  return [item('Show this view at this time', `${path}?${query}`), history, pushes];
}

/** The link to all resources, if not all are listed. */
function buildAll({ resources }: SearchAnswer, text: string): PaletteItem[] {
  const { total, isComplete } = resources;
  if (total <= perGroup && isComplete) return [];
  return [
    {
      ...{ id: 'all', group: 'resources', label: '', target: { href: searchHref(text) } },
      title: 'Show all results',
      detail: `${formatCounted(total, 'resource')}${isComplete ? '' : ' or more'}`,
    },
  ];
}

function buildFound(answer: SearchAnswer, most: number): PaletteItem[] {
  const { resources, clients, nacks, endpoints, domains, versions, contents } = answer;
  return [
    ...resources.items.slice(0, most).map((found) => resourceItem('resources', found)),
    ...clients.items.slice(0, most).map(
      ({ id, nodeId, scope, trouble }): PaletteItem => ({
        ...{ id: `client ${id}`, group: 'clients', title: nodeId, label: scope },
        detail: trouble === 0 ? '' : formatCounted(trouble, 'issue'),
        target: { href: `/clients/${encodeURIComponent(id)}` },
      }),
    ),
    ...nacks.items.slice(0, most).map(
      ({ id, service, name, text: error, state, clients: count }): PaletteItem => ({
        ...{ id: `nack ${id}`, group: 'nacks', label: service },
        title: error === '' ? name : cut(error),
        detail: `${state}, ${formatCounted(count, 'client')}`,
        target: { href: `/nacks/${encodeURIComponent(id)}` },
      }),
    ),
    ...textItems('endpoints', endpoints, most),
    ...textItems('domains', domains, most),
    ...versions.items.slice(0, most).map(
      ({ typeUrl, service, version, clients: count }): PaletteItem => ({
        ...{ id: `version ${typeUrl} ${version}`, group: 'versions', title: version, label: service },
        detail: `in use by ${formatCounted(count, 'client')}`,
        target: { href: `/clients?${new URLSearchParams({ q: versionFilter(service, version) })}` },
      }),
    ),
    ...contents.slice(0, most).map((found) => ({
      ...resourceItem('contents', found),
      detail: `${found.hash.slice(0, 12)}, ${describeHolders(found)}`,
    })),
  ];
}

function textItems(
  group: 'endpoints' | 'domains',
  found: SearchAnswer['endpoints'],
  most: number,
): PaletteItem[] {
  return found
    .flatMap(({ text, resources }) =>
      resources.map((resource) => ({
        ...resourceItem(group, resource),
        id: `${group} ${text} ${formatResourceRef(resource)}`,
        title: text,
        detail: `${formatName(resource.name, resource.typeUrl)}, ${describeHolders(resource)}`,
      })),
    )
    .slice(0, most);
}

function resourceItem(
  group: PaletteGroupName,
  found: SearchAnswer['resources']['items'][number],
): PaletteItem {
  return {
    id: `${group} ${formatResourceRef(found)}`,
    group,
    title: cut(formatName(found.name, found.typeUrl)),
    label: found.service,
    detail: describeHolders(found),
    target: { href: holdersHref(found) },
  };
}

export function searchHref(text: string): string {
  return `/search?${new URLSearchParams({ q: text })}`;
}

function holdersHref(resource: { readonly typeUrl: string; readonly name: string }): string {
  return `/search?${new URLSearchParams({ resource: formatResourceRef(resource) })}`;
}

function versionFilter(service: string, version: string): string {
  return `${formatCondition('type', '=', service)} ${formatCondition('version', '=', version)}`;
}

function cut(text: string): string {
  return text.length > longestTitle ? `${text.slice(0, longestTitle)}…` : text;
}

/** "held by 3 clients", "held by 2 of 3 clients, 1 NACKED", "held by no client, 2 probes". */
export function describeHolders({
  clients,
  holders,
  probes,
  states,
}: Pick<FoundResourceRow, 'clients' | 'holders' | 'probes' | 'states'>): string {
  const others = states
    .filter(({ state }) => state !== 'ACKED' && state !== 'ACTIVE')
    .map(({ state, count }) => `${formatCount(count)} ${state}`);
  const who =
    holders === 0
      ? 'no client'
      : holders === clients
        ? formatCounted(clients, 'client')
        : `${formatCount(holders)} of ${formatCounted(clients, 'client')}`;
  const own = probes === 0 ? [] : [formatCounted(probes, 'probe')];
  return [`held by ${who}`, ...others, ...own].join(', ');
}
