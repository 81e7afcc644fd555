import { resourceKey } from '../observation/client-state';
import type { Recorded, ResourceKey, ResourceState } from '../observation/observation';
import type { EpochMs } from '../xds/units';
import type { AcceptedBeside, ClientRefusal, Mending, NackGroup, ToldBy } from './nack-group';
import { isOpen } from './nack-group';
import { acceptedRows, type Refusal, readRefusals, responseKeyOf } from './read-refusals';
import { refusalKey } from './refusal-key';

export interface NackBookOptions {
  /** A short id of a key; the same in every process. */
  readonly idOf: (key: string) => string;
  readonly maxGroups?: number;
  readonly maxClientsPerGroup?: number;
}

const namesBeside = 50;
const responsesKept = 200;

/**
 * Refusals in groups, kept up observation by observation. Bounded: what was mended longest ago falls out first, and is
 * in the log still.
 */
export class NackBook {
  readonly groups = new Map<string, NackGroup>();
  /** Groups that fell out since the start. */
  groupsLeftOut = 0;
  /** By client and resource: the group of its refusal that is open, or was when the client went. */
  readonly #open = new Map<string, Map<string, string>>();
  /** Of the newest refused responses: what was taken beside. */
  readonly #beside = new Map<string, AcceptedBeside>();

  constructor(private readonly options: NackBookOptions) {}

  /** Has the client refused something that it has not taken since? If not, only new refusals of it change anything. */
  hasOpen(clientId: string): boolean {
    return this.#open.has(clientId);
  }

  /** The group of a resource that the client refuses now. */
  findOpen(clientId: string, resource: ResourceKey): NackGroup | undefined {
    return this.groups.get(this.#open.get(clientId)?.get(resourceKey(resource)) ?? '');
  }

  /** Ids of groups that are different now. */
  fold(observation: Recorded): ReadonlySet<string> {
    const touched = new Set<string>();
    if (!('clientId' in observation)) return touched;
    this.#foldAccepted(observation, touched);
    for (const refusal of readRefusals(observation)) this.#refuse(refusal, touched);
    if (observation.kind === 'nack-sent') this.#foldBeside(observation);
    this.#evict();
    return touched;
  }

  /** The client is not in the live state any more: what it rejects ended with that. Returns what fold() does. */
  forgetClient(clientId: string, at: EpochMs, seq: number): ReadonlySet<string> {
    const touched = new Set<string>();
    for (const groupId of this.#open.get(clientId)?.values() ?? []) {
      const group = this.groups.get(groupId);
      if (group === undefined || group.clients.get(clientId)?.ended !== null) continue;
      const by: Mending = { kind: 'gone', reason: 'no source reports the client any more' };
      this.#end(group, clientId, { at, seq, by }, touched);
    }
    this.#open.delete(clientId);
    return touched;
  }

  #foldAccepted(observation: Recorded & { readonly clientId: string }, touched: Set<string>): void {
    const { clientId, at, seq } = observation;
    const open = this.#open.get(clientId);
    if (open === undefined) return;
    const end = (key: string, by: Mending): void => {
      const group = this.groups.get(open.get(key) ?? '');
      if (group !== undefined) this.#end(group, clientId, { at, seq, by }, touched);
    };
    const reason = reasonOfGoing(observation);
    if (reason !== undefined) {
      for (const [key, groupId] of open) {
        const refusal = this.groups.get(groupId)?.clients.get(clientId);
        // Another source may speak of the client still.
        const isLast = refusal?.toldBy.size === 1 && refusal.toldBy.has(observation.sourceId);
        if (isLast && refusal.ended === null) end(key, { kind: 'gone', reason });
      }
      return;
    }
    if (observation.kind === 'stream-opened' && observation.cacheEmpty === true) {
      for (const key of [...open.keys()]) end(key, { kind: 'removed' });
      return;
    }
    if (!('changed' in observation)) return;
    for (const key of observation.removed) end(resourceKey(key), { kind: 'removed' });
    for (const row of observation.changed) {
      if (row.clientStatus === 'DOES_NOT_EXIST') end(resourceKey(row), { kind: 'removed' });
    }
    const isControlPlane =
      observation.kind === 'client-config-changed' && observation.side === 'control-plane';
    for (const row of acceptedRows(observation)) {
      if (isControlPlane) end(resourceKey({ typeUrl: row.typeUrl, name: '' }), acceptedBy(row));
      const refusal = this.#openRefusal(clientId, row);
      if (refusal === undefined || isOlder(row, refusal)) continue;
      // What a client says of itself is not undone by its control plane.
      if (isControlPlane && [...refusal.toldBy.values()].some(({ side }) => side === 'client')) continue;
      end(resourceKey(row), acceptedBy(row));
    }
    // The whole of a type was taken: what was wrong with it, and named no resource, is over.
    if (observation.kind === 'ack-sent') {
      const { typeUrl, versionInfo } = observation;
      end(resourceKey({ typeUrl, name: '' }), { kind: 'accepted', versionInfo, hash: null });
    }
  }

  #openRefusal(clientId: string, key: ResourceKey): ClientRefusal | undefined {
    return this.findOpen(clientId, key)?.clients.get(clientId);
  }

  #refuse(refusal: Refusal, touched: Set<string>): void {
    if (this.#isKnownBetter(refusal)) return;
    const before = this.findOpen(refusal.clientId, refusal);
    // Who tells no reason tells of the one that is known.
    const group = refusal.text === '' && before !== undefined ? before : this.#groupOf(refusal);
    const known = group.clients.get(refusal.clientId);
    if (known !== undefined && isToldAgain(refusal, known)) return;
    if (before !== undefined && before !== group) {
      if (before.text === '') this.#forget(before, refusal.clientId);
      else {
        const by: Mending = { kind: 'refused-otherwise', groupId: group.id };
        this.#end(before, refusal.clientId, { at: refusal.at, seq: refusal.seq, by }, touched);
      }
      touched.add(before.id);
    }
    const at = refusal.attemptAt ?? refusal.at;
    const own = known ?? newRefusal(refusal, at);
    group.clients.set(refusal.clientId, own);
    tell(own, refusal);
    if (refusal.versionInfo !== '' && refusal.versionInfo !== own.versionInfo) own.failed = null;
    own.failed = failedOf(refusal, own);
    own.lastAt = Math.max(own.lastAt, at);
    own.seq = refusal.seq;
    own.versionInfo = refusal.versionInfo || own.versionInfo;
    own.good = goodOf(refusal, own);
    own.ended = null;
    if (refusal.responseKey !== null) own.accepted = this.#besideOf(refusal.responseKey);
    if (refusal.text !== '') group.text = refusal.text;
    group.firstAt = Math.min(group.firstAt, own.firstAt);
    group.lastAt = Math.max(group.lastAt, own.lastAt);
    const open = this.#open.get(refusal.clientId) ?? new Map<string, string>();
    open.set(resourceKey(refusal), group.id);
    this.#open.set(refusal.clientId, open);
    this.#boundClients(group);
    touched.add(group.id);
  }

  /** Of a type that a control plane calls refused the client itself may say which resource it is. */
  #isKnownBetter({ clientId, typeUrl, name, side }: Refusal): boolean {
    const unnamed = { typeUrl, name: '' };
    if (side === 'client') {
      const vague = name === '' ? undefined : this.findOpen(clientId, unnamed);
      const toldBy = vague?.clients.get(clientId)?.toldBy.values() ?? [];
      if (vague !== undefined && [...toldBy].every((told) => told.side === 'control-plane'))
        this.#forget(vague, clientId);
      return false;
    }
    if (name !== '') return false;
    const open = this.#open.get(clientId)?.keys() ?? [];
    return [...open].some((key) => key.startsWith(resourceKey(unnamed)) && key !== resourceKey(unnamed));
  }

  #groupOf({ typeUrl, name, text, at }: Refusal): NackGroup {
    const id = this.options.idOf(refusalKey({ typeUrl, name }, text));
    const known = this.groups.get(id);
    if (known !== undefined) return known;
    const clients = new Map<string, ClientRefusal>();
    const group = { id, typeUrl, name, text, firstAt: at, lastAt: at, clients, clientsLeftOut: 0 };
    this.groups.set(id, group);
    return group;
  }

  #end(
    group: NackGroup,
    clientId: string,
    ended: NonNullable<ClientRefusal['ended']>,
    touched: Set<string>,
  ): void {
    const refusal = group.clients.get(clientId);
    if (refusal === undefined) return;
    refusal.ended = ended;
    // One that went may come back, and take it.
    if (ended.by.kind !== 'gone') this.#close(clientId, group);
    touched.add(group.id);
  }

  #close(clientId: string, group: NackGroup): void {
    const open = this.#open.get(clientId);
    if (open?.get(resourceKey(group)) === group.id) open.delete(resourceKey(group));
    if (open?.size === 0) this.#open.delete(clientId);
  }

  #forget(group: NackGroup, clientId: string): void {
    this.#close(clientId, group);
    group.clients.delete(clientId);
    if (group.clients.size === 0) this.groups.delete(group.id);
  }

  #foldBeside(observation: Recorded & { readonly kind: 'nack-sent' }): void {
    const accepted = this.#besideOf(responseKeyOf(observation));
    for (const { clientStatus, name } of observation.changed) {
      if (clientStatus !== 'ACKED') continue;
      accepted.total += 1;
      if (accepted.names.length < namesBeside) accepted.names.push(name);
    }
  }

  #besideOf(key: string): AcceptedBeside {
    const known = this.#beside.get(key);
    if (known !== undefined) return known;
    const made: AcceptedBeside = { names: [], total: 0 };
    this.#beside.set(key, made);
    const [oldest] = this.#beside.keys();
    if (this.#beside.size > responsesKept && oldest !== undefined) this.#beside.delete(oldest);
    return made;
  }

  #boundClients(group: NackGroup): void {
    const { maxClientsPerGroup = 1_000 } = this.options;
    while (group.clients.size > maxClientsPerGroup) {
      const leaving = oldestOf(group.clients.values(), ({ ended, lastAt }) => [ended === null, lastAt]);
      if (leaving === undefined) return;
      this.#close(leaving.clientId, group);
      group.clients.delete(leaving.clientId);
      group.clientsLeftOut += 1;
    }
  }

  #evict(): void {
    const { maxGroups = 2_000 } = this.options;
    while (this.groups.size > maxGroups) {
      const leaving = oldestOf(this.groups.values(), (group) => [isOpen(group), group.lastAt]);
      if (leaving === undefined) return;
      for (const clientId of leaving.clients.keys()) this.#close(clientId, leaving);
      this.groups.delete(leaving.id);
      this.groupsLeftOut += 1;
    }
  }
}

function acceptedBy({ versionInfo, hash }: ResourceState): Mending {
  return { kind: 'accepted', versionInfo, hash };
}

function reasonOfGoing(observation: Recorded): string | undefined {
  if (observation.kind === 'client-gone') return observation.reason;
  if (observation.kind !== 'stream-closed' || (observation.othersOpen ?? 0) > 0) return undefined;
  const { code, details } = observation;
  return `its stream ended: ${code}${details === '' ? '' : ` (${details})`}`;
}

/** CSDS tells of a state, again and again; the wire tells of what happens. */
function isToldAgain(refusal: Refusal, { toldBy, ended }: ClientRefusal): boolean {
  const told = toldBy.get(refusal.sourceId);
  if (told === undefined || refusal.vantage !== 'csds') return false;
  const isSame = told.versionInfo === refusal.versionInfo && told.attemptAt === refusal.attemptAt;
  // A client that came back still refuses what it refused.
  return isSame && (ended === null || (ended.by.kind === 'accepted' && refusal.attemptAt !== null));
}

function newRefusal(refusal: Refusal, at: number): ClientRefusal {
  return {
    clientId: refusal.clientId,
    firstAt: at,
    lastAt: at,
    seq: refusal.seq,
    versionInfo: refusal.versionInfo,
    failed: null,
    good: refusal.good,
    toldBy: new Map<string, ToldBy>(),
    accepted: null,
    ended: null,
  };
}

/** Who saw the response knows better than who was told. */
function failedOf(
  { failedHash: hash, vantage }: Refusal,
  { failed }: ClientRefusal,
): ClientRefusal['failed'] {
  if (hash === null) return failed;
  return vantage === 'csds' && failed !== null && failed.vantage !== 'csds' ? failed : { hash, vantage };
}

/** Some clients tell of a refused resource the version in use without its body: who knows that body is not unsaid. */
function goodOf({ good: told }: Refusal, { good: known }: ClientRefusal): ClientRefusal['good'] {
  if (told === null) return known;
  return told.hash === null && told.versionInfo === known?.versionInfo ? known : told;
}

function tell({ toldBy }: ClientRefusal, refusal: Refusal): void {
  const { sourceId, vantage, side, versionInfo, attemptAt } = refusal;
  const told = toldBy.get(sourceId);
  if (told === undefined) {
    toldBy.set(sourceId, { sourceId, vantage, side, versionInfo, attemptAt, times: 1 });
    return;
  }
  const isNew = vantage !== 'csds' || told.versionInfo !== versionInfo || told.attemptAt !== attemptAt;
  if (isNew) told.times += 1;
  told.versionInfo = versionInfo;
  told.attemptAt = attemptAt;
}

/** Taken before it was refused, and told late. */
function isOlder({ lastUpdated }: ResourceState, { lastAt }: ClientRefusal): boolean {
  return lastUpdated !== null && lastUpdated < lastAt;
}

/** By the pair: what is not open first, then what is older. */
function oldestOf<T>(
  all: Iterable<T>,
  rank: (one: T) => readonly [isOpen: boolean, at: number],
): T | undefined {
  let oldest: T | undefined;
  let least: readonly [boolean, number] = [true, Number.POSITIVE_INFINITY];
  for (const one of all) {
    const [open, at] = rank(one);
    if (Number(open) - Number(least[0]) < 0 || (open === least[0] && at < least[1])) {
      oldest = one;
      least = [open, at];
    }
  }
  return oldest;
}
