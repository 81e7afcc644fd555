import { byDescending } from '@/lib/collections/compare';
import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import { formatFilterProblem } from '@/lib/filter/parse-filter';
import { autoSizeGroup, isSizeGroup, type SizeGroup, sizeGroupsNamed } from '@/lib/fleet/size-group';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { matchesFleetFilter, parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import { parseTypeKey } from '@/lib/views/resources/resource-ref';
import {
  buildClientSizes,
  buildSizeBefore,
  type ClientSizes,
  type ClientSizesOptions,
  restOf,
} from '@/lib/views/sizes/build-client-sizes';
import { buildGroupSizes } from '@/lib/views/sizes/build-group-sizes';
import type { SizeItem, SizesAnswer, SizesQuery } from '@/lib/views/sizes/schema';
import { chooseSizeGroup } from '@/lib/views/sizes/size-groups';
import { defaultMessageLimitBytes } from '@/lib/xds/message-limit';
import { isProcessDocument } from '@/lib/xds/process-document';
import { badRequest, notFound } from '../../api-error';
import type { Codec } from '../../codec/codec';
import type { Clock } from '../../observe';
import type { Recorder } from '../../store/recorder/recorder';
import { takeSteps } from '../../workers/threads/take-steps';
import type { FleetIndex } from '../fleet/fleet-index';
import type { SizeHistory } from './size-history';

export interface SizesApiParts {
  readonly fleet: Pick<FleetIndex, 'find'>;
  readonly history: SizeHistory;
  readonly clock: Pick<Clock, 'now'>;
  readonly recorder: Pick<Recorder, 'readBody'>;
  readonly codec: Pick<Codec, 'measure'>;
  /** undefined: there is no such client. */
  readonly listResources: (clientId: string) => Promise<readonly ResourceRow[] | undefined>;
}

type Reported = Pick<SizesAnswer, 'level' | 'total'> & { readonly items: readonly SizeItem[] };

/** Answers what is large: from all clients down to a field of one resource. */
export class SizesApi {
  readonly #parts: SizesApiParts;

  constructor(parts: SizesApiParts) {
    this.#parts = parts;
  }

  async find(
    { client, type, name, q, sort, limit, group: asked }: SizesQuery,
    signal?: AbortSignal,
  ): Promise<SizesAnswer> {
    const group = readGroup(asked);
    const { fleet, history, clock } = this.#parts;
    const { members } = await fleet.find();
    if (history.list().length === 0) await history.sample();
    const filter = parseFleetFilter(client === undefined ? q : '', clock.now());
    const found = await takeSteps(
      measure(
        members,
        (member) => {
          return client === undefined ? matchesFleetFilter(member, filter) : member.summary.id === client;
        },
        { most: limit, sort, group, beforeOf: (id) => history.clients.firstOf(id) },
      ),
    );
    const member = members.find(({ summary }) => summary.id === client);
    if (client !== undefined && found.items.length === 0 && member === undefined) {
      throw notFound('Client', `no client has the id ${JSON.stringify(client)}`);
    }
    const { level, items, total } =
      client === undefined
        ? { level: found.group === undefined ? ('client' as const) : ('group' as const), ...found }
        : type === undefined
          ? await this.#typesOf(client, sort)
          : await this.#resourcesOf(client, { type, name, q }, signal);
    const others = items.slice(limit);
    const rest = client === undefined ? found.rest : restOf(others);
    return {
      level,
      group: client === undefined ? found.group : undefined,
      items: items.slice(0, limit),
      rest,
      total,
      limitBytes: defaultMessageLimitBytes,
      responses: [...found.responses],
      growth:
        client === undefined ? history.list() : member && type === undefined ? history.listOf(member) : [],
      problems: filter.problems.map((problem) => formatFilterProblem(q, problem)),
    };
  }

  async #typesOf(client: string, sort: ClientSizesOptions['sort']): Promise<Reported> {
    const listed = (await this.#parts.listResources(client)) ?? [];
    const rows = listed.filter(({ typeUrl }) => !isProcessDocument(typeUrl));
    const byType = await takeSteps(groupByType(rows));
    const [first] = this.#parts.history.clients.of(client);
    const items = [...byType.values()].map(({ item, largest }) => ({
      ...item,
      parts: largest.sort(byDescending(({ bytes }) => bytes)).slice(0, 40),
      before: buildSizeBefore(first && { at: first.at, bytes: first.bytes.get(item.key) ?? 0 }),
    }));
    const grown = ({ bytes, before }: SizeItem) => bytes - (before?.bytes ?? bytes);
    items.sort((a, b) => (sort === 'growth' ? grown(b) - grown(a) : 0) || b.bytes - a.bytes);
    return { level: 'type', items, total: totalOf(rows) };
  }

  async #resourcesOf(
    client: string,
    { type, name, q }: { readonly type: string; readonly name: string | undefined; readonly q: string },
    signal: AbortSignal | undefined,
  ): Promise<Reported> {
    const typeUrl = parseTypeKey(type);
    if (typeUrl === undefined || typeUrl === '') {
      throw badRequest(`type: expected CDS or a type URL, got ${JSON.stringify(type)}`, 'type');
    }
    const rows = ((await this.#parts.listResources(client)) ?? []).filter((row) => row.typeUrl === typeUrl);
    if (name !== undefined) return this.#fieldsOf(rows, typeUrl, name, signal);
    const wanted = rows.filter((row) => row.name.includes(q));
    const items = wanted.flatMap(({ name: key, sizeBytes }) =>
      sizeBytes === null ? [] : [itemOf(key, key, sizeBytes, 1)],
    );
    return {
      level: 'resource',
      items: items.sort(byDescending(({ bytes }) => bytes)),
      total: totalOf(wanted),
    };
  }

  async #fieldsOf(
    rows: readonly ResourceRow[],
    typeUrl: string,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<Reported> {
    const row = rows.find((each) => each.name === name);
    if (row === undefined) throw notFound('Resource', `the client has no ${typeUrl} ${JSON.stringify(name)}`);
    const body = row.hash === null ? undefined : await this.#parts.recorder.readBody(row.hash, typeUrl);
    if (body === undefined) {
      throw notFound(
        'Body',
        `the payload of ${typeUrl} ${JSON.stringify(name)} was not reported, or is not kept any longer`,
      );
    }
    const fields = await this.#parts.codec.measure(body, signal);
    const items = fields.map(({ name: field, bytes, count, parts }) => {
      return { ...itemOf(field, field, bytes, count), parts: [...parts] };
    });
    return {
      level: 'field',
      items,
      total: { bytes: body.bytes.length, clients: 1, resources: 1, unreported: 0 },
    };
  }
}

interface MeasureOptions extends ClientSizesOptions {
  readonly group: SizeGroup | typeof autoSizeGroup | undefined;
}

function* measure(
  members: readonly FleetMember[],
  isWanted: (member: FleetMember) => boolean,
  options: MeasureOptions,
): Steps<ClientSizes & { readonly group: SizeGroup | undefined }> {
  const wanted: FleetMember[] = [];
  for (const [index, member] of members.entries()) {
    if (member.link?.kind !== 'whole' && isWanted(member)) wanted.push(member);
    if (index % itemsPerStep === 0) yield;
  }
  const found = yield* buildClientSizes(wanted, options);
  const group =
    options.group === autoSizeGroup ? yield* chooseSizeGroup(wanted, options.most) : options.group;
  if (group === undefined) return { ...found, group: undefined };
  return { ...found, ...(yield* buildGroupSizes(wanted, group, options)), group };
}

/** undefined: no grouping. */
function readGroup(text: string): MeasureOptions['group'] {
  if (text === '') return undefined;
  if (text === autoSizeGroup || isSizeGroup(text)) return text;
  throw badRequest(`group: expected ${sizeGroupsNamed}, got ${JSON.stringify(text)}`, 'group');
}

function* groupByType(
  rows: readonly ResourceRow[],
): Steps<Map<string, { item: SizeItem; largest: SizeItem['parts'] }>> {
  const groups = new Map<string, { item: SizeItem; largest: SizeItem['parts'] }>();
  for (const [index, { typeUrl, service, name, sizeBytes }] of rows.entries()) {
    if (index % itemsPerStep === 0) yield;
    const group = groups.get(typeUrl) ?? {
      item: itemOf(typeUrl, service, 0, 0),
      largest: [],
    };
    groups.set(typeUrl, group);
    group.item.count += 1;
    if (sizeBytes === null) continue;
    group.item.bytes += sizeBytes;
    group.largest.push({ name, bytes: sizeBytes, count: 1, parts: [] });
  }
  return groups;
}

function itemOf(key: string, label: string, bytes: number, count: number): SizeItem {
  return { key, label, bytes, count, parts: [], before: undefined, clients: undefined };
}

function totalOf(rows: readonly ResourceRow[]): SizesAnswer['total'] {
  let [bytes, unreported] = [0, 0];
  for (const { sizeBytes } of rows) {
    if (sizeBytes === null) unreported += 1;
    else bytes += sizeBytes;
  }
  return { bytes, clients: 1, resources: rows.length, unreported };
}
