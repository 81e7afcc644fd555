import {
  contentVersionOf,
  followsType,
  withOwnVersion,
  withTypeVersion,
} from '@/lib/observation/acked-version';
import type { ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import { isCollection } from '@/lib/xds/resource-name';
import type { EpochMs } from '@/lib/xds/units';
import { accepted, deleted, doesNotExist, rejected, requested } from '../../xds/client/resource-state';
import type { ClientDoubts } from './client-doubts';
import type { Acceptance, RejectedPayload, RejectionEffect } from './rejected-payload';
import { ackOfRejected, beforeAck, isRejected } from './rejected-payload';
import type { AcceptedResponse, PassedResource } from './resource-reader';
import type { RowChanges } from './row-changes';
import { TypeSubscriptions, type Wants } from './type-subscriptions';

/** Limits the rows of one client, because a client may send any number of names. Further rows are ignored. */
const maxRowsOfClient = 300_000;

/** The error model before gRFC A88, as in all clients today: an accepted resource remains in effect. */
const policy = {
  model: 'pre-a88',
  ignoreResourceDeletion: false,
  failOnDataErrors: false,
  timerIsTransient: false,
} as const;

/** A client that keeps a deleted resource, whatever its error model. */
const keepsDeleted = { ...policy, model: 'a88' } as const;

/** The resources of one type that a client holds, according to its streams through the tap. */
export class TypeHoldings {
  readonly #doubts: ClientDoubts;
  readonly rows = new Map<string, ResourceState>();
  readonly subscriptions: TypeSubscriptions;
  /** The rows before they were marked as unanswered, or as missed; null: there was none. */
  readonly #answered = new Map<string, ResourceState | null>();
  /** The names of the rows whose doubt a subscription may decide. */
  readonly #open = new Set<string>();
  readonly #rejections = new Map<string, RejectedPayload>();
  /** The version of the type, which applies to the rows that followsType() names. */
  #version: string | undefined;

  constructor(
    readonly typeUrl: string,
    doubts: ClientDoubts,
  ) {
    this.#doubts = doubts;
    this.subscriptions = new TypeSubscriptions(typeUrl);
  }

  /** Applies what an earlier recording thread has recorded. */
  restore(row: ResourceState): void {
    if (this.rows.size >= maxRowsOfClient) return;
    const { name, errorState } = row;
    this.#keep(row);
    const failedHash = errorState?.failedHash ?? null;
    if (failedHash === null) return;
    const isAtFault = errorState?.mayBeInEffect !== true;
    this.#rejections.set(name, { isAtFault, payloads: new Map([[name, failedHash]]) });
  }

  restoreVersion(versionInfo: string): void {
    this.#version = versionInfo;
  }

  get hasRejected(): boolean {
    return this.#rejections.size > 0;
  }

  get hasAccepted(): boolean {
    for (const row of this.rows.values()) {
      const { clientStatus } = this.#answered.get(row.name) ?? row;
      if (clientStatus === 'ACKED') return true;
    }
    return false;
  }

  /** A collection has no row: its resources have. An alias has none once its resource is known. */
  want(name: string, at: EpochMs, changes: RowChanges): void {
    if (this.rows.has(name) || this.rows.size >= maxRowsOfClient) return;
    if (isCollection(this.typeUrl, name)) return;
    const canonical = this.subscriptions.findCanonical(name);
    if (canonical !== undefined && this.rows.has(canonical)) return;
    this.#put(requested(this.#key(name), at), changes);
  }

  /** Applies that the client has dropped a resource and requests it again. */
  requestAgain(name: string, at: EpochMs, changes: RowChanges): void {
    if (this.rows.has(name)) this.#put(requested(this.#key(name), at), changes);
  }

  /** Adds a resource that the client has requested in a message that was not recorded. */
  addMissed(name: string, at: EpochMs, changes: RowChanges): void {
    this.want(name, at, changes);
    const row = this.rows.get(name);
    if (row?.clientStatus === 'REQUESTED')
      this.#put({ ...row, clientStatus: 'UNKNOWN', doubt: 'not-recorded' }, changes);
  }

  /** Adds a resource that the client held before it was recorded. */
  addHeld(name: string, versionInfo: string, at: EpochMs, changes: RowChanges): void {
    const known = this.rows.get(name);
    if (known !== undefined && known.hash !== null) {
      const before = this.#answered.get(name);
      if (!isMissed(known) || before == null) return;
      if (this.#resolved(before).versionInfo === versionInfo) {
        this.clearUnanswered(name, at, changes);
        return;
      }
    }
    this.#put({ ...requested(this.#key(name), at), clientStatus: 'UNKNOWN', versionInfo }, changes);
  }

  /** Removes a row unless a stream still requests it. */
  drop(name: string, changes: RowChanges): void {
    if (this.subscriptions.isWanted(name) || !this.rows.delete(name)) return;
    this.#rejections.delete(name);
    this.#answered.delete(name);
    changes.remove(this.#key(name));
  }

  clear(changes: RowChanges): void {
    for (const name of this.rows.keys()) changes.remove(this.#key(name));
    this.reset();
  }

  reset(): void {
    this.rows.clear();
    this.#open.clear();
    this.#rejections.clear();
    this.#answered.clear();
    this.#version = undefined;
  }

  /** The version of the response is not applied to unchanged resources: applyVersion() does that. */
  accept(
    { name, body, apiVersion, version }: PassedResource,
    { versionInfo: ofResponse, at, payloads, isOfRejected = false }: Acceptance,
    changes: RowChanges,
  ): void {
    if (name === null || body === null || !this.subscriptions.isWanted(name)) return;
    const row = this.rows.get(name);
    if (row === undefined && this.rows.size >= maxRowsOfClient) return;
    const { hash } = body;
    const isHeld = row !== undefined && row.hash === hash;
    if (isHeld && row.clientStatus === 'ACKED' && row.doubt !== 'without-endpoints') {
      this.#doubts.onAcceptedAgain(row);
      if (version !== '' && version !== row.versionInfo) this.#put(withOwnVersion(row, version), changes);
      return;
    }
    const versionInfo = version === '' ? ofResponse : version;
    const isV2 = apiVersion === 'v2' ? { apiVersion } : {};
    const state = accepted(this.#key(name), { versionInfo, hash, sizeBytes: body.bytes.length, ...isV2 }, at);
    const contentVersion = isHeld ? contentVersionOf(row) : versionInfo;
    const next: ResourceState = {
      ...state,
      ...(contentVersion !== versionInfo && { contentVersion }),
      ...((version !== '' || isOfRejected) && { hasOwnVersion: true }),
    };
    const before = this.#answered.get(name) ?? row;
    const doubt = this.#doubts.ofAccepted(before, next, body);
    const rejection = this.#rejections.get(name);
    this.#rejections.delete(name);
    const isUnproved = payloads && before && rejection && isRejected(before, rejection, { hash, payloads });
    if (isUnproved) this.#put(ackOfRejected(before, next), changes);
    else this.#put(doubt === undefined ? next : { ...next, doubt }, changes);
  }

  /**
   * Applies the version of an accepted response to its resources that have no version of their own: to the type if most
   * resources of the type are in the response, and otherwise to each of them. An unchanged response of 10,000 resources
   * changes no row. In delta, where unchanged resources are not sent, it is the version of the type in any case.
   */
  applyVersion({ versionInfo, resources, isDelta }: AcceptedResponse, changes: RowChanges): void {
    if (isDelta) {
      const isOfType =
        versionInfo !== '' && resources.some(({ body, version }) => body !== null && version === '');
      if (isOfType) this.#setVersion(versionInfo, changes);
      return;
    }
    const names = new Set<string>();
    for (const { name, body } of resources) {
      const row = this.rows.get(name ?? '');
      if (row?.clientStatus === 'ACKED' && row.hash === body?.hash) names.add(row.name);
    }
    if (names.size === 0) return;
    if (versionInfo !== this.#version && this.#isMost(names)) {
      this.#keepVersions(names, changes);
      this.#setVersion(versionInfo, changes);
    }
    for (const name of names) {
      const row = this.rows.get(name);
      if (row === undefined) continue;
      const next = versionInfo === this.#version ? withTypeVersion(row) : withOwnVersion(row, versionInfo);
      if (next !== row) this.#put(next, changes);
    }
  }

  /** True if these are most of the resources that the client has accepted. */
  #isMost({ size }: ReadonlySet<string>): boolean {
    if (size * 2 > this.rows.size) return true;
    let accepted = 0;
    for (const { clientStatus } of this.rows.values()) if (clientStatus === 'ACKED') accepted += 1;
    return size * 2 > accepted;
  }

  #setVersion(versionInfo: string, changes: RowChanges): void {
    if (versionInfo === this.#version) return;
    this.#version = versionInfo;
    changes.typeVersion = { typeUrl: this.typeUrl, versionInfo };
  }

  /** Prepares for another version of the type, which does not apply to resources other than these. */
  #keepVersions(names: ReadonlySet<string>, changes: RowChanges): void {
    for (const [name, before] of this.#answered) {
      if (before !== null && !names.has(name)) this.#answered.set(name, this.#resolved(before));
    }
    for (const row of this.rows.values()) {
      if (names.has(row.name) || row.clientStatus !== 'ACKED') continue;
      const resolved = this.#resolved(row);
      if (resolved !== row) this.#put(resolved, changes);
    }
  }

  /** The row with the version that the client ACKed last, whatever the version of the type will be. */
  #resolved(row: ResourceState): ResourceState {
    return followsType(row) ? withOwnVersion(row, this.#version ?? row.versionInfo) : row;
  }

  reject(
    { name, body, version }: PassedResource,
    reason: string,
    { versionInfo, at, acceptedVersion = '' }: Acceptance,
    changes: RowChanges,
    { mayBeInEffect = false, isDropped = false, rejected: payload }: RejectionEffect,
  ): void {
    if (name === null || !this.subscriptions.isWanted(name)) return;
    this.#rejections.set(name, payload);
    const held = this.#answered.has(name) ? this.#answered.get(name) : this.rows.get(name);
    const row = this.#resolved(beforeAck(isDropped || held == null ? requested(this.#key(name), at) : held));
    // Clients reject an invalid resource again with each response that contains it. The row then remains unchanged.
    const known = row.clientStatus === 'NACKED' ? row.errorState : null;
    // The payload that the client accepted last may be in a response that was not recorded.
    const isUnproved = isMissed(this.rows.get(name)) && row.versionInfo !== acceptedVersion;
    const isSame = known?.failedHash === (body?.hash ?? null) && known.details === reason;
    if (isSame && !isUnproved) {
      this.#put(row, changes);
      return;
    }
    const rejection = {
      reason,
      versionInfo: version === '' ? versionInfo : version,
      failedHash: body?.hash ?? null,
      ...(mayBeInEffect && { mayBeInEffect }),
    };
    const { doubt: before, ...next } = rejected(row, rejection, at, policy);
    const doubtOfAnswer = before === 'without-endpoints' ? before : this.#doubts.ofRejected(next);
    const doubt = isUnproved ? 'not-recorded' : doubtOfAnswer;
    this.#put(doubt === undefined ? next : { ...next, doubt }, changes);
  }

  /** Applies that a management server sends these resources to the client. */
  send(resources: readonly PassedResource[]): void {
    for (const { name, body, aliases } of resources) {
      if (name === null || body === null) continue;
      this.#doubts.onSent(this.rows.get(name), body);
      if (aliases !== undefined) this.subscriptions.addAliases(name, aliases);
    }
  }

  /** Applies that a resource answers the requests for its aliases, or that there is none for them. */
  resolveAliases({ name, body, aliases = [] }: PassedResource, at: EpochMs, changes: RowChanges): void {
    for (const alias of aliases) {
      if (alias === name || this.rows.get(alias)?.hash !== null) continue;
      if (body === null) {
        this.delete(alias, at, changes);
        continue;
      }
      this.rows.delete(alias);
      this.#answered.delete(alias);
      changes.remove(this.#key(alias));
    }
  }

  /** Marks the endpoints that the cluster which needs them may be without, because a response was rejected. */
  markWithoutEndpoints(at: EpochMs, changes: RowChanges): void {
    for (const name of this.#doubts.withoutEndpoints(this.typeUrl)) {
      const row = this.rows.get(name);
      if (row === undefined || row.hash === null || row.doubt === 'without-endpoints') continue;
      this.#put({ ...row, doubt: 'without-endpoints', changedAt: at }, changes);
    }
  }

  /** Marks a resource of a partly accepted response whose own acceptance is unknown. */
  markUnknown(
    { name, body }: PassedResource,
    details: string,
    { versionInfo, at }: Acceptance,
    changes: RowChanges,
  ): void {
    if (name === null || body === null || !this.subscriptions.isWanted(name)) return;
    const row = this.#resolved(this.rows.get(name) ?? requested(this.#key(name), at));
    if (row.hash === body.hash) return;
    const mayBeInEffect = true;
    const errorState = {
      details,
      versionInfo,
      lastUpdateAttempt: at,
      failedHash: body.hash,
      mayBeInEffect,
    } as const;
    this.#put({ ...row, clientStatus: 'UNKNOWN', errorState, changedAt: at }, changes);
  }

  /** Marks a resource of a response that the client does not answer. */
  markUnanswered({ name, body }: PassedResource, { versionInfo, at }: Acceptance, changes: RowChanges): void {
    if (name === null || !this.subscriptions.isWanted(name)) return;
    const row = this.rows.get(name);
    if (row === undefined && this.rows.size >= maxRowsOfClient) return;
    const before = this.#answered.has(name) && !isMissed(row) ? this.#answered.get(name) : row;
    const unanswered = { versionInfo, at, hash: body?.hash ?? null };
    const held = this.#resolved(row ?? requested(this.#key(name), at));
    this.#put({ ...held, clientStatus: 'UNKNOWN', unanswered, changedAt: at }, changes);
    this.#answered.set(name, before ?? null);
  }

  /** Restores the row from before the response. Either the client answers it now, or its answer was missed. */
  clearUnanswered(name: string, at: EpochMs, changes: RowChanges): void {
    const before = this.#answered.get(name);
    if (before === undefined) return;
    this.#answered.delete(name);
    if (!this.rows.has(name)) return;
    if (before !== null) this.#put({ ...before, changedAt: at }, changes);
    else if (this.subscriptions.isNamed(name)) this.#put(requested(this.#key(name), at), changes);
    else {
      this.rows.delete(name);
      changes.remove(this.#key(name));
    }
  }

  /** Restores the rows of unanswered responses: on a stream that ended they are not answered any longer. */
  clearAllUnanswered(at: EpochMs, changes: RowChanges): void {
    for (const name of [...this.#answered.keys()])
      if (!isMissed(this.rows.get(name))) this.clearUnanswered(name, at, changes);
  }

  /** Marks the resources of a stream of which messages were missed: any of them may have changed. */
  markMissed(wants: Wants, at: EpochMs, changes: RowChanges): void {
    for (const row of [...this.rows.values()]) {
      const { unanswered, ...held } = row;
      const isKnown = row.clientStatus !== 'UNKNOWN' || unanswered !== undefined;
      if (!isKnown || !this.subscriptions.isOf(wants, row.name)) continue;
      const before = this.#answered.get(row.name);
      const last = this.#resolved(held);
      this.#put({ ...last, clientStatus: 'UNKNOWN', doubt: 'not-recorded', changedAt: at }, changes);
      this.#answered.set(row.name, before === undefined ? row : before);
    }
  }

  /** Restores the rows from before markMissed(): the client has processed no response of the type since. */
  restoreMissed(wants: Wants, at: EpochMs, changes: RowChanges): void {
    for (const name of [...this.#answered.keys()])
      if (isMissed(this.rows.get(name)) && this.subscriptions.isOf(wants, name))
        this.clearUnanswered(name, at, changes);
  }

  /** Applies that the payloads which the client rejected are not served any longer, so that it has what it accepted before. */
  restoreRejected(wants: Wants, at: EpochMs, changes: RowChanges): void {
    for (const row of [...this.rows.values()]) {
      if (row.errorState === null || !this.subscriptions.isOf(wants, row.name)) continue;
      this.#rejections.delete(row.name);
      if (row.hash !== null)
        this.#put({ ...row, clientStatus: 'ACKED', errorState: null, changedAt: at }, changes);
      else if (this.subscriptions.isNamed(row.name)) this.#put(requested(this.#key(row.name), at), changes);
      else {
        this.rows.delete(row.name);
        changes.remove(this.#key(row.name));
      }
    }
  }

  /** Applies a deletion that the client has accepted. */
  delete(name: string, at: EpochMs, changes: RowChanges): void {
    const row = this.rows.get(name);
    if (row === undefined) return;
    const isKept = this.#doubts.keepsRemoved(row);
    if (!isKept && !this.subscriptions.isNamed(name)) {
      this.rows.delete(name);
      this.#answered.delete(name);
      changes.remove(this.#key(name));
      return;
    }
    if (row.clientStatus === 'DOES_NOT_EXIST' || row.doubt === 'deleted') return;
    if (isKept) {
      const { unanswered: _, ...held } = this.#resolved(row);
      this.#put(deleted(held, at, keepsDeleted), changes);
      return;
    }
    const doubt = this.#doubts.ofDeleted(row);
    if (doubt === undefined) this.#put(doesNotExist(this.#key(name), at), changes);
    else {
      const { unanswered: _, ...held } = this.#resolved(row);
      this.#put({ ...held, clientStatus: 'UNKNOWN', errorState: null, doubt, changedAt: at }, changes);
    }
  }

  /** Applies what the subscriptions of the client to other resources show. */
  decideDoubts(at: EpochMs, changes: RowChanges): void {
    for (const name of this.#open) {
      const row = this.rows.get(name);
      if (row === undefined) this.#open.delete(name);
      if (row === undefined || !this.#doubts.isDecided(row)) continue;
      const { doubt, ...known } = row;
      const next = doubt === 'deleted' ? doesNotExist(this.#key(row.name), at) : { ...known, changedAt: at };
      this.#put(next, changes);
    }
  }

  #put(row: ResourceState, changes: RowChanges): void {
    const isOnDemand = this.#doubts.isOnDemand(this.typeUrl) && this.subscriptions.isNamed(row.name);
    const marked = isOnDemand ? { ...row, isOnDemand } : row;
    this.#keep(marked);
    changes.put(marked);
  }

  #keep(row: ResourceState): void {
    this.rows.set(row.name, row);
    this.#answered.delete(row.name);
    if (row.doubt === 'deleted' || row.doubt === 'added-again') this.#open.add(row.name);
    else this.#open.delete(row.name);
  }

  #key(name: string): ResourceKey {
    return { typeUrl: this.typeUrl, name };
  }
}

/** True if only the answers show the state, and an answer was missed. */
function isMissed(row: ResourceState | undefined): boolean {
  return row?.doubt === 'not-recorded';
}
