import { by } from '@/lib/collections/compare';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { explainProfile } from '@/lib/resolve/client-profile';
import { isTrouble, type Verdict } from '@/lib/validate/reactions';
import { compareEffect } from '@/lib/views/check/compare-effect';
import { type Check, type CheckAgainst, checkLimits as limits } from '@/lib/views/check/schema';
import { resolvedQuery } from '@/lib/views/resolved/query';
import type { Profile } from '@/lib/xds/profile';
import { requestsType } from '@/lib/xds/requested-types';
import { CDS, EDS, formatResourceType } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { badRequest } from '../../api-error';
import type { EnvoyValidator, EnvoyVerdict } from '../../envoy-binary/envoy-validator';
import type { ClientRef, ClientSubject, LiveRows } from '../../subjects/client-subjects';
import type { CheckedBody } from '../../validate/check-input';
import type { Validator } from '../../validate/document-validator';
import { type DefaultsParts, findDefaults } from '../client-defaults';
import { parseInput } from '../parse-input';
import { resolverQuestion } from '../resolved/resolved-query';
import { missingSubject } from '../simulate-failover';
import { buildMatrix, type Checked, heldKey } from './build-matrix';
import { type FleetParts, findFleet, findHolders } from './fleet-profiles';

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
    { client: clientId, ask = 'false', ...input }: CheckQuestion,
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
    const given = rowsOf(checked.bodies, subject);
    const applied = subject && chosen ? given.filter(({ isUsed }) => isUsed(chosen.profile)) : given;
    const rows = overlay(
      subject?.rows ?? [],
      applied.map(({ row }) => row),
    );
    const source: LiveRows = {
      list: `check ${clientId ?? ''}`,
      rows: () => rows,
      bodies: checked.bodies.map(({ body }) => body),
    };
    const keys = checked.resources.map(({ typeUrl, name }) => heldKey(typeUrl, name));
    const holders = await findHolders(this.#parts, fleet, [...new Set(keys)]);
    const asked = ask === 'true' ? await this.#ask(checked, clusters ?? [], signal) : new Map();
    const dangling = await this.#findDangling(source, subject, signal);
    return {
      ...buildMatrix(checked, fleet, holders, asked),
      ...(envoyValidator && { envoyVersion: envoyValidator.version }),
      ...dangling,
      ...(subject && chosen && { against: await this.#compare(subject, chosen, given, source, signal) }),
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

  /** References that lead to nothing, except those that the client has already. */
  async #findDangling(
    source: LiveRows,
    subject: ClientSubject | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Pick<Check, 'dangling' | 'danglingTotal'>> {
    const { graphs } = this.#parts;
    const query = { kind: 'dangling', offset: 0, limit: Number.POSITIVE_INFINITY } as const;
    const after = await graphs.ask('references', source, query, signal);
    const before = subject && (await graphs.ask('references', subject.source, query, signal));
    const known = new Set(before?.items.map(({ typeUrl, name }) => `${typeUrl} ${name}`));
    const found = after.items.filter(({ typeUrl, name }) => !known.has(`${typeUrl} ${name}`));
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
    { profile, reason: profileReason }: ReturnType<typeof explainProfile>,
    given: readonly GivenRow[],
    source: LiveRows,
    signal: AbortSignal | undefined,
  ): Promise<CheckAgainst> {
    const { graphs } = this.#parts;
    const { client } = subject;
    const used = given.filter(({ isUsed }) => isUsed(profile));
    const changed = used.filter(({ change }) => change !== 'equal').map(({ row }) => keyOf(row));
    const leading = await graphs.ask('leading', source, { of: changed }, signal);
    const compared = leading.listeners.slice(0, limits.listeners);
    const defaults = await findDefaults(subject, this.#parts, signal);
    const withShares = changed
      .filter(({ typeUrl }) => typeUrl === CDS.typeUrl || typeUrl === EDS.typeUrl)
      .map(({ name }) => name);
    const listeners: CheckAgainst['listeners'][number][] = [];
    for (const listener of compared) {
      const question = { ...resolverQuestion(parseInput(resolvedQuery, { listener }), defaults), withShares };
      const before = await graphs.ask('effect', subject.source, question, signal);
      const after = await graphs.ask('effect', source, question, signal);
      const changes = compareEffect(before.lines, after.lines);
      listeners.push({
        listener,
        changes: changes.slice(0, limits.changes),
        changesTotal: changes.length,
        isCut: before.isCut || after.isCut,
      });
    }
    const count = (wanted: GivenRow['change']) => given.filter(({ change }) => change === wanted).length;
    return {
      clientId: client.id,
      nodeId: client.nodeId,
      profile,
      profileReason,
      counts: { added: count('added'), changed: count('changed'), equal: count('equal') },
      rejected: given
        .filter(({ isUsed }) => !isUsed(profile))
        .map(({ row, verdicts }) => ({ ...keyOf(row), verdict: verdicts[profile] ?? 'NACK' })),
      undecided: used
        .filter(({ verdicts }) => verdicts[profile] === 'NO_FAULT_FOUND')
        .map(({ row }) => keyOf(row)),
      unreached: leading.unreached.map(keyOf),
      listeners,
      listenersLeft: leading.listeners.length - compared.length,
    };
  }
}

function keyOf({ typeUrl, name }: ResourceKey) {
  return { typeUrl, name, service: formatResourceType(typeUrl) };
}

interface GivenRow {
  readonly row: ResourceRow;
  readonly verdicts: CheckedBody['verdicts'];
  readonly change: 'added' | 'changed' | 'equal';
  /** False if a client of the profile would reject it, or not request it. */
  readonly isUsed: (profile: Profile) => boolean;
}

/** The resources of the input as the client would hold them. The last one of equal names counts. */
function rowsOf(bodies: readonly CheckedBody[], subject: ClientSubject | undefined): GivenRow[] {
  const held = new Map(subject?.rows.map((row) => [`${row.typeUrl} ${row.name}`, row]));
  const [first] = subject?.rows ?? [];
  const given = new Map<string, GivenRow>();
  for (const { name, body, verdicts } of bodies) {
    const { typeUrl, apiVersion } = readTypeUrl(body.typeUrl);
    const key = `${typeUrl} ${name}`;
    const before = held.get(key);
    const row: ResourceRow = {
      ...{ typeUrl, name, service: formatResourceType(typeUrl) },
      ...{ versionInfo: '', state: 'ACKED', clientStatus: 'ACKED', configStatus: 'UNKNOWN' },
      ...{ lastUpdated: null, errorState: null, hash: body.hash, sizeBytes: body.bytes.length },
      ...{ isStatic: before?.isStatic ?? false, changedAt: subject?.at ?? 0 },
      ...{ sourceId: before?.sourceId ?? first?.sourceId ?? '', side: 'client' },
      ...{ answer: null, effect: null, controlPlane: null },
      ...(before?.stage !== undefined && { stage: 'active' }),
      ...(apiVersion === 'v2' && { apiVersion }),
    };
    const change = before === undefined ? 'added' : before.hash === body.hash ? 'equal' : 'changed';
    const isUsed = (profile: Profile): boolean =>
      requestsType(profile, typeUrl) && !isRejected(verdicts[profile]);
    given.set(key, { row, verdicts, change, isUsed });
  }
  return [...given.values()];
}

function isRejected(verdict: Verdict | undefined): boolean {
  return verdict !== undefined && (isTrouble(verdict) || verdict === 'ACK_IGNORED');
}

function overlay(rows: readonly ResourceRow[], changed: readonly ResourceRow[]): readonly ResourceRow[] {
  const replaced = new Set(changed.map(({ typeUrl, name }) => `${typeUrl} ${name}`));
  return [...rows.filter(({ typeUrl, name }) => !replaced.has(`${typeUrl} ${name}`)), ...changed].sort(
    compareResourceKeys,
  );
}
