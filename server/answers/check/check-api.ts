import { by } from '@/lib/collections/compare';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { explainProfile } from '@/lib/resolve/client-profile';
import { isTrouble } from '@/lib/validate/reactions';
import { compareEffect } from '@/lib/views/check/compare-effect';
import { listRemovals } from '@/lib/views/check/list-removals';
import {
  type CellVerdict,
  type Check,
  type CheckAgainst,
  type CheckedResource,
  checkLimits as limits,
} from '@/lib/views/check/schema';
import { resolvedQuery } from '@/lib/views/resolved/query';
import type { References } from '@/lib/views/resolved/schema';
import type { Profile } from '@/lib/xds/profile';
import { requestsType } from '@/lib/xds/requested-types';
import { CDS, EDS, formatResourceType } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { badRequest } from '../../api-error';
import type { CheckedBody, CheckedInput } from '../../compute/validate/check-input';
import type { Validator } from '../../compute/validate/document-validator';
import type { EnvoyValidator, EnvoyVerdict } from '../../lab/envoy-binary/envoy-validator';
import { inSlices } from '../../workers/threads/in-slices';
import { type DefaultsParts, findDefaults } from '../client-defaults';
import { parseInput } from '../parse-input';
import { resolverQuestion } from '../resolved/resolved-query';
import { missingSubject } from '../simulate-failover';
import type { ClientRef, ClientSubject, LiveRows } from '../subjects/client-subjects';
import { applyPush, findAbsent, findNamed, type GivenRow, rowsOf } from './applied-rows';
import { type Fleet, type FleetParts, findFleet, findHolders } from './fleet-profiles';

export interface CheckApiParts extends DefaultsParts, FleetParts {
  readonly validate: Pick<Validator, 'checkInput'>;
  /** Absent: there is no Envoy to ask. */
  readonly envoyValidator?: Pick<EnvoyValidator, 'ask' | 'version'> | undefined;
  readonly findSubject: (ref: ClientRef, signal?: AbortSignal) => Promise<ClientSubject | undefined>;
}

interface CheckQuestion {
  readonly bytes: Uint8Array;
  readonly client?: string | undefined;
  readonly typeUrl?: string | undefined;
  readonly show?: number | undefined;
  readonly ask?: 'true' | 'false';
  readonly whole?: 'true' | 'false';
}

/** What a push would do to the rows of a client. */
interface Push {
  readonly given: readonly GivenRow[];
  /** Listeners and clusters of the client that the input lacks. */
  readonly absent: readonly ResourceRow[];
  /** What it has of the resources that the input removes by name. */
  readonly removedByName: readonly ResourceRow[];
  /** What the push removes: `removedByName`, and all of `absent`, or none of it. */
  readonly removed: readonly ResourceRow[];
}

/** Limits the bootstrap that Envoy reads for each resource. */
const mostClusters = 1_000;

/** Answers what clients would do with resources that nobody has sent yet. Nothing is stored. */
export class CheckApi {
  readonly #parts: CheckApiParts;

  constructor(parts: CheckApiParts) {
    this.#parts = parts;
  }

  /** Throws 400 if nothing in the input is a resource, 404 without such a client. */
  async check(
    { client: clientId, ask = 'false', whole = 'false', ...input }: CheckQuestion,
    signal?: AbortSignal,
  ): Promise<Check> {
    const subject = clientId === undefined ? undefined : await this.#findSubject(clientId, signal);
    const chosen = subject && explainProfile(undefined, subject.client);
    const { envoyValidator } = this.#parts;
    const fleet = await findFleet(this.#parts);
    const columns = fleet.columns.map(({ profile }) => profile);
    const profiles = [...new Set([...columns, ...(chosen ? [chosen.profile] : [])])];
    const clusters = subject?.rows.filter(({ typeUrl }) => typeUrl === CDS.typeUrl).map(({ name }) => name);
    const checked = await this.#parts.validate.checkInput({ ...input, profiles, clusters }, signal);
    if (!checked.ok) throw badRequest(checked.reason);
    const given = rowsOf(checked.bodies, checked.removals, subject);
    const applied = chosen ? given.filter((each) => each.isUsed(chosen)) : given;
    const absent = findAbsent(given, checked.emptyTypes, subject);
    const removedByName = findNamed(checked.removals, subject);
    const removed = [...new Set([...(whole === 'true' ? absent : []), ...removedByName])];
    const rows = applyPush(
      subject?.rows ?? [],
      applied.map(({ row }) => row),
      removed,
      chosen?.profile,
    );
    const source: LiveRows = {
      list: `check ${clientId ?? ''}`,
      read: () => ({ rows }),
      bodies: checked.bodies.map(({ body }) => body),
    };
    const keys = checked.resources.map(({ typeUrl, name }) => heldKey(typeUrl, name));
    const holders = await findHolders(this.#parts, fleet, [...new Set(keys)]);
    const asked = ask === 'true' ? await this.#ask(checked, clusters ?? [], signal) : new Map();
    const ofClients = sourcesByClient(checked, source, subject);
    const dangling = await this.#findDangling(ofClients, subject, signal);
    return {
      ...(await buildMatrix(checked, fleet, holders, asked)),
      ...(ofClients.length > 1 && { clientsInInput: ofClients.length }),
      ...(ofClients.length > limits.clientsInInput && { clientsWithReferences: limits.clientsInInput }),
      ...(envoyValidator && { envoyVersion: envoyValidator.version }),
      ...dangling,
      ...(checked.removals.length > 0 && {
        removedByName: checked.removals.slice(0, limits.removed).map(keyOf),
        removedByNameTotal: checked.removals.length,
      }),
      ...((whole === 'true' || checked.removals.length > 0) && {
        removals: listRemovals(
          whole === 'true' ? [...given.map(({ row }) => row.typeUrl), ...checked.emptyTypes] : [],
          checked.removals.map(({ typeUrl }) => typeUrl),
          [...new Set(columns)],
        ),
      }),
      ...(subject &&
        chosen && {
          against: await this.#compare(
            subject,
            chosen,
            { given, absent, removed, removedByName },
            source,
            signal,
          ),
        }),
    };
  }

  /** The answers of Envoy by the index of the resource: first about those that no rule decides. */
  async #ask(
    { resources, bodies }: Checked,
    held: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Map<number, EnvoyVerdict>> {
    const { envoyValidator } = this.#parts;
    if (envoyValidator === undefined)
      throw badRequest('ask: expected an Envoy to ask, got none: start xdscope with --check-envoy', 'ask');
    const isOpen = ({ verdicts }: CheckedBody) => Object.values(verdicts).includes('NO_FAULT_FOUND');
    const own = bodies.filter(({ body }) => body.typeUrl === CDS.typeUrl).map(({ name }) => name);
    const listed = resources.flatMap(({ index }) => {
      const body = bodies[index];
      return body === undefined ? [] : [{ index, body }];
    });
    const chosen = listed.sort(by(({ body }) => (isOpen(body) ? 0 : 1))).slice(0, limits.asked);
    const answers = new Map<number, EnvoyVerdict>();
    for (const { index, body } of chosen) {
      const clusters = [...held, ...own].filter((name) => name !== body.name).slice(0, mostClusters);
      answers.set(index, await envoyValidator.ask(body, clusters, signal));
    }
    return answers;
  }

  async #findSubject(clientId: string, signal: AbortSignal | undefined): Promise<ClientSubject> {
    const subject = await this.#parts.findSubject({ clientId }, signal);
    if (subject === undefined) throw missingSubject({ clientId });
    return subject;
  }

  /** References of each source that lead to nothing, except those that the client has already. */
  async #findDangling(
    sources: readonly LiveRows[],
    subject: ClientSubject | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Pick<Check, 'dangling' | 'danglingTotal'>> {
    const { graphs } = this.#parts;
    const query = { kind: 'dangling', offset: 0, limit: Number.POSITIVE_INFINITY } as const;
    const before = subject && (await graphs.ask('references', subject.source, query, signal));
    const known = new Set(before?.items.map(({ typeUrl, name }) => `${typeUrl} ${name}`));
    const found: References['items'][number][] = [];
    for (const source of sources.slice(0, limits.clientsInInput)) {
      const after = await graphs.ask('references', source, query, signal);
      found.push(...after.items.filter(({ typeUrl, name }) => !known.has(`${typeUrl} ${name}`)));
    }
    return {
      dangling: found.slice(0, limits.dangling).map(({ typeUrl, name, service, usedBy }) => ({
        ...{ typeUrl, name, service },
        usedBy: usedBy.map((user) => ({ typeUrl: user.typeUrl, name: user.name })),
      })),
      danglingTotal: found.length,
    };
  }

  async #compare(
    subject: ClientSubject,
    chosen: ReturnType<typeof explainProfile>,
    { given, absent, removed, removedByName }: Push,
    source: LiveRows,
    signal: AbortSignal | undefined,
  ): Promise<CheckAgainst> {
    const { graphs } = this.#parts;
    const { client } = subject;
    const { profile, reason: profileReason, isHint } = chosen;
    const used = given.filter((each) => each.isUsed(chosen));
    const changed = used.filter(({ change }) => change !== 'equal').map(({ row }) => keyOf(row));
    const leading = await graphs.ask('leading', source, { of: changed }, signal);
    const before = await graphs.ask('leading', subject.source, { of: removed.map(keyOf) }, signal);
    const leadingAll = [...new Set([...leading.listeners, ...before.listeners])];
    const compared = leadingAll.slice(0, limits.listeners);
    const unreached = new Set(before.unreached.map(({ typeUrl, name }) => heldKey(typeUrl, name)));
    const defaults = await findDefaults(subject, this.#parts, signal);
    const withShares = changed
      .filter(({ typeUrl }) => typeUrl === CDS.typeUrl || typeUrl === EDS.typeUrl)
      .map(({ name }) => name);
    const listeners: CheckAgainst['listeners'][number][] = [];
    for (const listener of compared) {
      const question = { ...resolverQuestion(parseInput(resolvedQuery, { listener }), defaults), withShares };
      const now = await graphs.ask('effect', subject.source, question, signal);
      const after = await graphs.ask('effect', source, question, signal);
      const changes = compareEffect(now.lines, after.lines);
      listeners.push({
        listener,
        changes: changes.slice(0, limits.changes),
        changesTotal: changes.length,
        isCut: now.isCut || after.isCut,
      });
    }
    const count = (wanted: GivenRow['change']) => given.filter(({ change }) => change === wanted).length;
    return {
      clientId: client.id,
      nodeId: client.nodeId,
      profile,
      profileReason,
      ...(isHint && { isHint }),
      counts: {
        ...{ added: count('added'), changed: count('changed'), equal: count('equal') },
        absent: absent.length,
        ...(removedByName.length > 0 && { named: removedByName.length }),
      },
      removed: removed.slice(0, limits.removed).map((row) => ({
        ...keyOf(row),
        isReached: !unreached.has(heldKey(row.typeUrl, row.name)),
      })),
      removedTotal: removed.length,
      rejected: given
        .filter((each) => !each.isUsed(chosen))
        .map(({ row, verdicts }) => ({ ...keyOf(row), verdict: verdicts[profile] ?? 'NACK' })),
      undecided: used
        .filter(({ verdicts }) => isHint || verdicts[profile] === 'NO_FAULT_FOUND')
        .map(({ row }) => keyOf(row)),
      unreached: leading.unreached.map(keyOf),
      listeners,
      listenersLeft: leadingAll.length - compared.length,
    };
  }
}

/** The rows after the push of each client that the document contains; `all` is that of one alone. */
function sourcesByClient(
  { bodies, removals }: Pick<Checked, 'bodies' | 'removals'>,
  all: LiveRows,
  subject: ClientSubject | undefined,
): LiveRows[] {
  const byClient = new Map<number, CheckedBody[]>();
  for (const body of bodies) {
    const own = byClient.get(body.client) ?? [];
    byClient.set(body.client, own);
    own.push(body);
  }
  if (byClient.size < 2) return [all];
  return [...byClient].map(([client, own]) => {
    const given = rowsOf(own, removals, subject).map(({ row }) => row);
    const rows = applyPush(subject?.rows ?? [], given, [], undefined);
    return { ...all, list: `${all.list} ${client}`, read: () => ({ rows }) };
  });
}

function keyOf({ typeUrl, name }: ResourceKey) {
  return { typeUrl, name, service: formatResourceType(typeUrl) };
}

type Checked = Extract<CheckedInput, { readonly ok: true }>;

/** The key under which clients report the resource; a v2 resource has that of its v3 type. */
function heldKey(typeUrl: string, name: string): string {
  return resourceKey({ typeUrl: readTypeUrl(typeUrl).typeUrl, name });
}

/** A row for each listed resource, with a verdict for each profile of the fleet. */
async function buildMatrix(
  checked: Checked,
  { columns, clients, unidentified, profileOf }: Fleet,
  holders: Awaited<ReturnType<typeof findHolders>>,
  asked: ReadonlyMap<number, EnvoyVerdict>,
): Promise<Omit<Check, 'dangling' | 'danglingTotal' | 'against'>> {
  const { resources, bodies, shown, problems, problemsTotal } = checked;
  const cellOf = (verdicts: CheckedBody['verdicts'], typeUrl: string, profile: Profile): CellVerdict =>
    requestsType(profile, readTypeUrl(typeUrl).typeUrl)
      ? (verdicts[profile] ?? 'NO_FAULT_FOUND')
      : 'NOT_REQUESTED';
  const isRejecting = (cell: CellVerdict): boolean => cell !== 'NOT_REQUESTED' && isTrouble(cell);
  const wouldReject = columns
    .filter(
      ({ profile, isHint }) =>
        !isHint && bodies.some(({ verdicts, body }) => isRejecting(cellOf(verdicts, body.typeUrl, profile))),
    )
    .reduce((sum, column) => sum + column.clients, 0);
  const holdersRejecting = new Set<string>();
  const listed: CheckedResource[] = [];
  const list = ({ verdicts, findings, unchecked, ...resource }: Checked['resources'][number]) => {
    const cells = columns.map(({ profile }) => cellOf(verdicts, resource.typeUrl, profile));
    const held = holders?.get(heldKey(resource.typeUrl, resource.name));
    const rejectedBy = new Set<Profile | undefined>(
      columns.filter((_, index) => isRejecting(cells[index] ?? 'ACK')).map(({ profile }) => profile),
    );
    const rejecting = (held ?? []).filter((clientId) => rejectedBy.has(profileOf.get(clientId)));
    for (const clientId of rejecting) holdersRejecting.add(clientId);
    listed.push({
      ...resource,
      service: formatResourceType(resource.typeUrl),
      cells,
      wouldReject: columns.reduce(
        (sum, { isHint, clients: of }, index) =>
          sum + (!isHint && isRejecting(cells[index] ?? 'ACK') ? of : 0),
        0,
      ),
      ...(held && { holders: { clients: held.length, wouldReject: rejecting.length } }),
      ...(asked.has(resource.index) && { asked: asked.get(resource.index) }),
      findings: [...findings],
      ...(unchecked.length > 0 && {
        unchecked: unchecked.map((part) => ({ ...part, clients: [...part.clients] })),
      }),
    });
  };
  await inSlices(resources, list, 1);
  return {
    columns: columns.map((column) => ({ ...column, named: [...column.named] })),
    total: bodies.length,
    resources: listed,
    fleet: {
      ...{ clients, unidentified, wouldReject },
      ...(holders && { holdersWouldReject: holdersRejecting.size }),
    },
    ...(shown && { shown }),
    problems: problems.map((problem) => ({ ...problem })),
    problemsTotal,
  };
}
