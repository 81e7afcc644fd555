import { least } from 'd3';
import { resourceKey } from '../observation/client-state';
import type { Recorded } from '../observation/observation';
import type { ResourceKey, ResourceState } from '../observation/resource-state';
import type { EpochMs } from '../xds/units';
import {
  addReport,
  failedOf,
  goodOf,
  isReportedAgain,
  newRejection,
  resolves,
  timeOf,
} from './client-rejection';
import { isRicherText } from './error-text';
import {
  type AcceptedBeside,
  type ClientRejection,
  type NackGroup,
  type Resolution,
  stateOfGroup,
  stateOfRejection,
} from './nack-group';
import { acceptedRows, type Rejection, readRejections, responseKeyOf } from './read-rejections';
import { rejectionKey } from './rejection-key';

interface NackIndexOptions {
  /** Derives a short id from a key; the same in every process. */
  readonly idOf: (key: string) => string;
  readonly maxGroups?: number;
  readonly maxClientsPerGroup?: number;
}

const namesBeside = 50;
const responsesKept = 200;

/**
 * Groups NACKs, observation by observation. Beyond the limits the groups that were resolved longest ago are evicted; the log
 * still has them.
 */
export class NackIndex {
  readonly #options: NackIndexOptions;
  readonly groups = new Map<string, NackGroup>();
  /** The number of evicted groups. */
  groupsLeftOut = 0;
  /** The group id by client id and resource key, of NACKs that are not resolved. */
  readonly #open = new Map<string, Map<string, string>>();
  /** The accepted resources of the newest rejected responses. */
  readonly #beside = new Map<string, AcceptedBeside>();

  constructor(options: NackIndexOptions) {
    this.#options = options;
  }

  /** Returns true if the client has open NACKs. If not, only new NACKs of the client change the index. */
  hasOpen(clientId: string): boolean {
    return this.#open.has(clientId);
  }

  findOpen(clientId: string, resource: ResourceKey): NackGroup | undefined {
    return this.groups.get(this.#open.get(clientId)?.get(resourceKey(resource)) ?? '');
  }

  /** Returns the ids of changed groups. */
  fold(observation: Recorded): ReadonlySet<string> {
    const touched = new Set<string>();
    if (!('clientId' in observation)) return touched;
    const rejections = readRejections(observation);
    // The response of a late NACK can have a resource that the last response, which is accepted, changes or removes.
    if (observation.kind === 'nack-sent') {
      for (const rejection of rejections) this.#reject(rejection, touched);
      this.#foldBeside(observation);
      this.#foldAccepted(observation, touched);
    } else {
      this.#foldAccepted(observation, touched);
      for (const rejection of rejections) this.#reject(rejection, touched);
    }
    this.#evict();
    return touched;
  }

  /** The client is no longer in the live state. Returns the ids of changed groups. */
  forgetClient(clientId: string, at: EpochMs, seq: number): ReadonlySet<string> {
    const touched = new Set<string>();
    const reason = 'no source reports the client any more';
    for (const groupId of this.#open.get(clientId)?.values() ?? []) {
      const rejection = this.groups.get(groupId)?.clients.get(clientId);
      if (rejection === undefined) continue;
      rejection.gone ??= { at, seq, reason };
      touched.add(groupId);
    }
    this.#open.delete(clientId);
    return touched;
  }

  /** Removes these clients from all groups. Returns the ids of changed groups. */
  removeClients(clientIds: ReadonlySet<string>): ReadonlySet<string> {
    const touched = new Set<string>();
    for (const group of clientIds.size === 0 ? [] : this.groups.values()) {
      for (const clientId of group.clients.keys()) {
        if (!clientIds.has(clientId)) continue;
        this.#forget(group, clientId);
        touched.add(group.id);
      }
    }
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
    if (reason !== undefined || observation.kind === 'stream-opened') {
      for (const groupId of open.values()) {
        const rejection = this.groups.get(groupId)?.clients.get(clientId);
        // Another source may still report the client.
        const isOnly = rejection?.reportedBy.size === 1 && rejection.reportedBy.has(observation.sourceId);
        if (!isOnly || (reason === undefined && rejection.gone === undefined)) continue;
        rejection.gone = reason === undefined ? undefined : { at, seq, reason };
        touched.add(groupId);
      }
      return;
    }
    if (!('changed' in observation)) return;
    for (const key of observation.removed) {
      const group = this.findOpen(clientId, key);
      const rejection = group?.clients.get(clientId);
      if (group === undefined || rejection === undefined) continue;
      if (isOfRestart(observation, key)) rejection.gone = { at, seq, reason: restarted };
      else end(resourceKey(key), key.name === '' ? acceptedType : { kind: 'removed' });
      touched.add(group.id);
    }
    for (const row of observation.changed) {
      if (row.clientStatus === 'DOES_NOT_EXIST') end(resourceKey(row), { kind: 'removed' });
    }
    const isControlPlane =
      observation.kind === 'client-config-changed' && observation.side === 'control-plane';
    for (const row of acceptedRows(observation)) {
      if (isControlPlane) {
        for (const key of this.#reportedByPlane(clientId, row)) end(key, acceptedBy(row));
        continue;
      }
      const rejection = this.#openRejection(clientId, row);
      if (rejection !== undefined && resolves(row, rejection, observation)) {
        end(resourceKey(row), acceptedBy(row));
      }
    }
    // An ACK of the type resolves NACKs that name no resource.
    if (observation.kind === 'ack-sent') {
      const { typeUrl, versionInfo } = observation;
      end(resourceKey({ typeUrl, name: '' }), { kind: 'accepted', versionInfo, hash: null });
    }
  }

  /**
   * Lists the open NACKs that a control plane no longer reports when this row is in sync. A row without a name is about
   * the whole type. The control plane's report does not override the client's.
   */
  #reportedByPlane(clientId: string, { typeUrl, name }: ResourceKey): string[] {
    const keys = [resourceKey({ typeUrl, name: '' }), resourceKey({ typeUrl, name })];
    const open = [...(this.#open.get(clientId)?.entries() ?? [])];
    return open.flatMap(([key, groupId]) => {
      const reports = this.groups.get(groupId)?.clients.get(clientId)?.reportedBy.values() ?? [];
      const isMeant = keys.includes(key) || (name === '' && key.startsWith(keys[0] ?? ''));
      return isMeant && [...reports].every(({ side }) => side === 'control-plane') ? [key] : [];
    });
  }

  #openRejection(clientId: string, key: ResourceKey): ClientRejection | undefined {
    return this.findOpen(clientId, key)?.clients.get(clientId);
  }

  #reject(rejection: Rejection, touched: Set<string>): void {
    if (this.#isReportedByClient(rejection)) return;
    const before = this.findOpen(rejection.clientId, rejection);
    // A report without the text of the client is about the known NACK.
    const isKnown =
      before !== undefined && (rejection.text === '' || isRicherText(before.text, rejection.text));
    const group = isKnown ? before : this.#groupOf(rejection);
    const known = group.clients.get(rejection.clientId);
    if (known !== undefined && isReportedAgain(rejection, known)) return;
    if (before !== undefined && before !== group) {
      if (isRicherText(rejection.text, before.text)) this.#forget(before, rejection.clientId);
      else {
        const by: Resolution = { kind: 'rejected-otherwise', groupId: group.id };
        this.#end(before, rejection.clientId, { at: rejection.at, seq: rejection.seq, by }, touched);
      }
      touched.add(before.id);
    }
    const at = timeOf(rejection);
    const own = known ?? newRejection(rejection, at);
    group.clients.set(rejection.clientId, own);
    addReport(own, rejection);
    if (rejection.versionInfo !== '' && rejection.versionInfo !== own.versionInfo) own.failed = null;
    own.failed = failedOf(rejection, own);
    own.lastAt = Math.max(own.lastAt, at);
    own.seq = rejection.seq;
    own.versionInfo = rejection.versionInfo || own.versionInfo;
    own.good = goodOf(rejection, own);
    own.ended = undefined;
    own.gone = undefined;
    if (rejection.responseKey !== null) own.accepted = this.#besideOf(rejection.responseKey);
    if (!isRicherText(group.text, rejection.text)) group.text = rejection.text;
    group.firstAt = Math.min(group.firstAt, own.firstAt);
    group.lastAt = Math.max(group.lastAt, own.lastAt);
    const open = this.#open.get(rejection.clientId) ?? new Map<string, string>();
    open.set(resourceKey(rejection), group.id);
    this.#open.set(rejection.clientId, open);
    this.#boundClients(group);
    touched.add(group.id);
  }

  /**
   * Returns true if the client reports which resources were rejected of a type that a control plane, or a statistic
   * of the client, reports as rejected.
   */
  #isReportedByClient({ clientId, typeUrl, name, side, text }: Rejection): boolean {
    const unnamed = { typeUrl, name: '' };
    if (side === 'client' && name !== '') {
      const vague = this.findOpen(clientId, unnamed);
      const reportedBy = vague?.clients.get(clientId)?.reportedBy.values() ?? [];
      const isOfPlane = [...reportedBy].every((reported) => reported.side === 'control-plane');
      if (vague !== undefined && (isOfPlane || vague.text === '')) this.#forget(vague, clientId);
      return false;
    }
    if (name !== '' || (side === 'client' && text !== '')) return false;
    const open = this.#open.get(clientId)?.keys() ?? [];
    return [...open].some((key) => key.startsWith(resourceKey(unnamed)) && key !== resourceKey(unnamed));
  }

  #groupOf(rejection: Rejection): NackGroup {
    const { typeUrl, name, text } = rejection;
    const id = this.#options.idOf(rejectionKey({ typeUrl, name }, text));
    const known = this.groups.get(id);
    if (known !== undefined) return known;
    const clients = new Map<string, ClientRejection>();
    const at = timeOf(rejection);
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
    rejection.gone = undefined;
    this.#close(clientId, group);
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
    const { maxClientsPerGroup = 1_000 } = this.#options;
    while (group.clients.size > maxClientsPerGroup) {
      const leaving = least(group.clients.values(), (a, b) =>
        compareAge(stateOfRejection(a) === 'open', a, stateOfRejection(b) === 'open', b),
      );
      if (leaving === undefined) return;
      this.#close(leaving.clientId, group);
      group.clients.delete(leaving.clientId);
      group.clientsLeftOut += 1;
    }
  }

  #evict(): void {
    const { maxGroups = 2_000 } = this.#options;
    while (this.groups.size > maxGroups) {
      const leaving = least(this.groups.values(), (a, b) =>
        compareAge(stateOfGroup(a) === 'open', a, stateOfGroup(b) === 'open', b),
      );
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

/** The row of a whole type is there as long as its newest response is a rejected one. */
const acceptedType: Resolution = { kind: 'accepted', versionInfo: '', hash: null };
const restarted = 'the client restarted';

/** Returns why the client is no longer reported, or no longer the process that rejected the resource. */
function reasonOfGoing(observation: Recorded): string | undefined {
  if (observation.kind === 'client-gone') return observation.reason;
  if (observation.kind === 'stream-opened') return observation.cacheEmpty === true ? restarted : undefined;
  if (observation.kind !== 'stream-closed' || (observation.othersOpen ?? 0) > 0) return undefined;
  const { code, details } = observation;
  return `its stream ended: ${code}${details === '' ? '' : ` (${details})`}`;
}

/** The first request of a new process has no nonce, and unsubscribes from nothing. */
function isOfRestart(observation: Recorded, { name }: ResourceKey): boolean {
  if (observation.kind !== 'request-sent' || observation.responseNonce !== '') return false;
  return observation.unsubscribedNames?.includes(name) !== true;
}

type Dated = Pick<NackGroup, 'lastAt'>;

/** Sorts resolved NACKs before open ones, then older ones first. */
function compareAge(isOpenA: boolean, a: Dated, isOpenB: boolean, b: Dated): number {
  return Number(isOpenA) - Number(isOpenB) || a.lastAt - b.lastAt;
}
