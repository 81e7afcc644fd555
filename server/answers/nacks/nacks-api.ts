import { by } from '@/lib/collections/compare';
import { countOpen, type NackGroup } from '@/lib/nacks/nack-group';
import { buildNackRow } from '@/lib/views/nacks/build-nack-row';
import { buildNackTest } from '@/lib/views/nacks/nack-filter';
import type { NackDetail, NackPage, NacksQuery } from '@/lib/views/nacks/schema';
import { formatResourceType, normaliseTypeUrl } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from '../../api-error';
import type { NackStore } from '../../live/nacks/nack-store';
import type { Clock } from '../../observe';
import { buildNackDetail, type NackDetailParts } from './nack-detail';
import { RejectedFields } from './rejected-fields';

export interface NacksApiParts extends NackDetailParts {
  readonly nacks: Pick<NackStore, 'book' | 'isRestoring' | 'since'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The position in the list: by rank, then the newest rejection. */
type Place = readonly [rank: Rank, lastAt: number, id: string];

const ranks = { open: 0, terminated: 1, resolved: 2 } as const;
type Rank = (typeof ranks)[keyof typeof ranks];

export class NacksApi {
  readonly #parts: NacksApiParts;
  readonly #fields: RejectedFields;

  constructor(parts: NacksApiParts) {
    this.#parts = parts;
    this.#fields = new RejectedFields(parts);
  }

  async list(query: NacksQuery, signal?: AbortSignal): Promise<NackPage> {
    const { nacks, live } = this.#parts;
    const start = query.cursor === undefined ? undefined : parseCursor(query.cursor);
    const matching = [...nacks.book.groups.values()].filter(matcherOf(query, this.#parts.clock.now()));
    const places = new Map(matching.map((group) => [group, placeOf(group)] as const));
    const place = (group: NackGroup): Place => places.get(group) ?? placeOf(group);
    const inState = matching
      .filter((group) => isWanted(place(group)[0], query))
      .sort(by(place, comparePlaces));
    const rest =
      start === undefined ? inState : inState.filter((group) => comparePlaces(start, place(group)) < 0);
    const page = rest.slice(0, query.limit);
    const last = page.at(-1);
    const count = (wanted: Rank): number => [...places.values()].filter(([rank]) => rank === wanted).length;
    const fields = await this.#fields.find(page, signal);
    const nodeIdOf = (clientId: string): string => live.world.get(clientId)?.node.id ?? clientId;
    return {
      items: page.map((group) => buildNackRow(group, nodeIdOf, fields.get(group.id))),
      next: rest.length > page.length && last !== undefined ? formatCursor(place(last)) : undefined,
      total: inState.length,
      counts: {
        open: count(ranks.open),
        terminated: count(ranks.terminated),
        resolved: count(ranks.resolved),
      },
      restoring: nacks.isRestoring,
      since: nacks.since ?? undefined,
      leftOut: nacks.book.groupsLeftOut,
    };
  }

  /** Returns undefined if there is no such group. */
  async find(groupId: string, signal?: AbortSignal): Promise<NackDetail | undefined> {
    const group = this.#parts.nacks.book.groups.get(groupId);
    return group && buildNackDetail(group, { ...this.#parts, signal });
  }
}

function matcherOf(query: NacksQuery, now: EpochMs): (group: NackGroup) => boolean {
  const passes = buildNackTest(query.q, now);
  const { client, type } = query;
  const resource = query.resource?.toLowerCase();
  const text = query.text?.toLowerCase();
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query;
  return (group) =>
    passes(group) &&
    (client === undefined || group.clients.has(client)) &&
    (type === undefined ||
      normaliseTypeUrl(group.typeUrl) === type ||
      formatResourceType(group.typeUrl) === type) &&
    (resource === undefined || group.name.toLowerCase().includes(resource)) &&
    (text === undefined || group.text.toLowerCase().includes(text)) &&
    group.lastAt >= from &&
    group.firstAt <= to;
}

function isWanted(rank: Rank, { state, terminated }: NacksQuery): boolean {
  if (rank === ranks.terminated && terminated === 'hide') return false;
  return state === undefined || state === (rank === ranks.resolved ? 'resolved' : 'open');
}

function placeOf(group: NackGroup): Place {
  const { open, terminated } = countOpen(group);
  const rank = open === 0 ? ranks.resolved : open === terminated ? ranks.terminated : ranks.open;
  return [rank, group.lastAt, group.id];
}

function comparePlaces(a: Place, b: Place): number {
  return a[0] - b[0] || b[1] - a[1] || (a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0);
}

function formatCursor([state, lastAt, id]: Place): string {
  return `${state}-${lastAt}-${id}`;
}

function parseCursor(cursor: string): Place {
  const [, state, lastAt, id = ''] = /^([0-2])-(\d{1,17})-([0-9a-f]{16})$/.exec(cursor) ?? [];
  if (state === undefined)
    throw badRequest(`cursor: expected the \`next\` of a page, got ${JSON.stringify(cursor)}`, 'cursor');
  const rank = Object.values(ranks).find((each) => String(each) === state) ?? ranks.open;
  return [rank, Number(lastAt), id];
}
