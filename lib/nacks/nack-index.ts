import { resourceKey } from '../observation/client-state';
import type { Recorded, ResourceKey, ResourceState } from '../observation/observation';
import { isPolledVantage } from '../observation/vantage';
import type { EpochMs } from '../xds/units';
import type { AcceptedBeside, ClientRejection, NackGroup, ReportedBy, Resolution } from './nack-group';
import { isOpen } from './nack-group';
import { acceptedRows, type Rejection, readRejections, responseKeyOf } from './read-rejections';
import { rejectionKey } from './rejection-key';

export interface NackBookOptions {
  /** A short id of a key; the same in every process. */
  readonly idOf: (key: string) => string;
  readonly maxGroups?: number;
  readonly maxClientsPerGroup?: number;
}

const namesBeside = 50;
const responsesKept = 200;

/**
 * NACKs in groups, kept up observation by observation. Bounded: what was resolved longest ago falls out first, and is
 * in the log still.
 */
export class NackIndex {
  readonly groups = new Map<string, NackGroup>();
  /** Groups that fell out since the start. */
  groupsLeftOut = 0;
  /** By client and resource: the group of its NACK that is open, or was when the client went. */
  readonly #open = new Map<string, Map<string, string>>();
  /** Of the newest rejected responses: what was taken beside. */
  readonly #beside = new Map<string, AcceptedBeside>();

  constructor(private readonly options: NackBookOptions) {}

  /** Has the client rejected something that it has not taken since? If not, only new NACKs of it change anything. */
  hasOpen(clientId: string): boolean {
    return this.#open.has(clientId);
  }

  /** The group of a resource that the client rejects now. */
  findOpen(clientId: string, resource: ResourceKey): NackGroup | undefined {
    return this.groups.get(this.#open.get(clientId)?.get(resourceKey(resource)) ?? '');
  }

  /** Ids of groups that are different now. */
  fold(observation: Recorded): ReadonlySet<string> {
    const touched = new Set<string>();
    if (!('clientId' in observation)) return touched;
    this.#foldAccepted(observation, touched);
    for (const rejection of readRejections(observation)) this.#reject(rejection, touched);
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
      const by: Resolution = { kind: 'gone', reason: 'no source reports the client any more' };
      this.#end(group, clientId, { at, seq, by }, touched);
    }
    this.#open.delete(clientId);
    return touched;
  }

  #foldAccepted(observation: Recorded & { readonly clientId: string }, touched: Set<string>): void {
    const { clientId, at, seq } = observation;
    const open = this.#open.get(clientId);
    if (open === undefined) return;
    const end = (key: string, by: Resolution): void => {
      const group = this.groups.get(open.get(key) ?? '');
      if (group !== undefined) this.#end(group, clientId, { at, seq, by }, touched);
    };
    const reason = reasonOfGoing(observation);
    if (reason !== undefined) {
      for (const [key, groupId] of open) {
        const rejection = this.groups.get(groupId)?.clients.get(clientId);
        // Another source may speak of the client still.
        const isLast = rejection?.reportedBy.size === 1 && rejection.reportedBy.has(observation.sourceId);
        if (isLast && rejection.ended === null) end(key, { kind: 'gone', reason });
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
      const rejection = this.#openRejection(clientId, row);
      if (rejection === undefined || isOlder(row, rejection)) continue;
      // What a client says of itself is not undone by its control plane.
      if (isControlPlane && [...rejection.reportedBy.values()].some(({ side }) => side === 'client'))
        continue;
      end(resourceKey(row), acceptedBy(row));
    }
    // The whole of a type was taken: what was wrong with it, and named no resource, is over.
    if (observation.kind === 'ack-sent') {
      const { typeUrl, versionInfo } = observation;
      end(resourceKey({ typeUrl, name: '' }), { kind: 'accepted', versionInfo, hash: null });
    }
  }

  #openRejection(clientId: string, key: ResourceKey): ClientRejection | undefined {
    return this.findOpen(clientId, key)?.clients.get(clientId);
  }

  #reject(rejection: Rejection, touched: Set<string>): void {
    if (this.#isKnownBetter(rejection)) return;
    const before = this.findOpen(rejection.clientId, rejection);
    // Which source reports no reason reports the one that is known.
    const group = rejection.text === '' && before !== undefined ? before : this.#groupOf(rejection);
    const known = group.clients.get(rejection.clientId);
    if (known !== undefined && isReportedAgain(rejection, known)) return;
    if (before !== undefined && before !== group) {
      if (before.text === '') this.#forget(before, rejection.clientId);
      else {
        const by: Resolution = { kind: 'rejected-otherwise', groupId: group.id };
        this.#end(before, rejection.clientId, { at: rejection.at, seq: rejection.seq, by }, touched);
      }
      touched.add(before.id);
    }
    const at = rejection.attemptAt ?? rejection.at;
    const own = known ?? newRejection(rejection, at);
    group.clients.set(rejection.clientId, own);
    addReport(own, rejection);
    if (rejection.versionInfo !== '' && rejection.versionInfo !== own.versionInfo) own.failed = null;
    own.failed = failedOf(rejection, own);
    own.lastAt = Math.max(own.lastAt, at);
    own.seq = rejection.seq;
    own.versionInfo = rejection.versionInfo || own.versionInfo;
    own.good = goodOf(rejection, own);
    own.ended = null;
    if (rejection.responseKey !== null) own.accepted = this.#besideOf(rejection.responseKey);
    if (rejection.text !== '') group.text = rejection.text;
    group.firstAt = Math.min(group.firstAt, own.firstAt);
    group.lastAt = Math.max(group.lastAt, own.lastAt);
    const open = this.#open.get(rejection.clientId) ?? new Map<string, string>();
    open.set(resourceKey(rejection), group.id);
    this.#open.set(rejection.clientId, open);
    this.#boundClients(group);
    touched.add(group.id);
  }

  /** Of a type that a control plane calls rejected the client itself may say which resource it is. */
  #isKnownBetter({ clientId, typeUrl, name, side }: Rejection): boolean {
    const unnamed = { typeUrl, name: '' };
    if (side === 'client') {
      const vague = name === '' ? undefined : this.findOpen(clientId, unnamed);
      const reportedBy = vague?.clients.get(clientId)?.reportedBy.values() ?? [];
      if (vague !== undefined && [...reportedBy].every((reported) => reported.side === 'control-plane'))
        this.#forget(vague, clientId);
      return false;
    }
    if (name !== '') return false;
    const open = this.#open.get(clientId)?.keys() ?? [];
    return [...open].some((key) => key.startsWith(resourceKey(unnamed)) && key !== resourceKey(unnamed));
  }

  #groupOf({ typeUrl, name, text, at }: Rejection): NackGroup {
    const id = this.options.idOf(rejectionKey({ typeUrl, name }, text));
    const known = this.groups.get(id);
    if (known !== undefined) return known;
    const clients = new Map<string, ClientRejection>();
    const group = { id, typeUrl, name, text, firstAt: at, lastAt: at, clients, clientsLeftOut: 0 };
    this.groups.set(id, group);
    return group;
  }

  #end(
    group: NackGroup,
    clientId: string,
    ended: NonNullable<ClientRejection['ended']>,
    touched: Set<string>,
  ): void {
    const rejection = group.clients.get(clientId);
    if (rejection === undefined) return;
    rejection.ended = ended;
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

function acceptedBy({ versionInfo, hash }: ResourceState): Resolution {
  return { kind: 'accepted', versionInfo, hash };
}

function reasonOfGoing(observation: Recorded): string | undefined {
  if (observation.kind === 'client-gone') return observation.reason;
  if (observation.kind !== 'stream-closed' || (observation.othersOpen ?? 0) > 0) return undefined;
  const { code, details } = observation;
  return `its stream ended: ${code}${details === '' ? '' : ` (${details})`}`;
}

/** A poll reports a state, again and again; a stream reports what happens. */
function isReportedAgain(rejection: Rejection, { reportedBy, ended }: ClientRejection): boolean {
  const reported = reportedBy.get(rejection.sourceId);
  if (reported === undefined || !isPolledVantage(rejection.vantage)) return false;
  const isSame = reported.versionInfo === rejection.versionInfo && reported.attemptAt === rejection.attemptAt;
  // A client that came back still rejects what it rejected.
  return isSame && (ended === null || (ended.by.kind === 'accepted' && rejection.attemptAt !== null));
}

function newRejection(rejection: Rejection, at: number): ClientRejection {
  return {
    clientId: rejection.clientId,
    firstAt: at,
    lastAt: at,
    seq: rejection.seq,
    versionInfo: rejection.versionInfo,
    failed: null,
    good: rejection.good,
    reportedBy: new Map<string, ReportedBy>(),
    accepted: null,
    ended: null,
  };
}

/** Who saw the response knows better than who was reported. */
function failedOf(
  { failedHash: hash, vantage }: Rejection,
  { failed }: ClientRejection,
): ClientRejection['failed'] {
  if (hash === null) return failed;
  return isPolledVantage(vantage) && failed !== null && !isPolledVantage(failed.vantage)
    ? failed
    : { hash, vantage };
}

/** Some clients report a rejected resource the version in use without its body: who knows that body is not unsaid. */
function goodOf({ good: reported }: Rejection, { good: known }: ClientRejection): ClientRejection['good'] {
  if (reported === null) return known;
  return reported.hash === null && reported.versionInfo === known?.versionInfo ? known : reported;
}

function addReport({ reportedBy }: ClientRejection, rejection: Rejection): void {
  const { sourceId, vantage, side, versionInfo, attemptAt } = rejection;
  const reported = reportedBy.get(sourceId);
  if (reported === undefined) {
    reportedBy.set(sourceId, { sourceId, vantage, side, versionInfo, attemptAt, times: 1 });
    return;
  }
  const isNew =
    !isPolledVantage(vantage) || reported.versionInfo !== versionInfo || reported.attemptAt !== attemptAt;
  if (isNew) reported.times += 1;
  reported.versionInfo = versionInfo;
  reported.attemptAt = attemptAt;
}

/** Taken before it was rejected, and reported late. */
function isOlder({ lastUpdated }: ResourceState, { lastAt }: ClientRejection): boolean {
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
