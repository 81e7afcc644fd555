import { contentVersionOf, withOwnVersion } from '@/lib/observation/acked-version';
import type { ResourceState } from '@/lib/observation/resource-state';
import { isCollection } from '@/lib/xds/resource-name';
import type { EpochMs } from '@/lib/xds/units';
import { accepted, deleted, doesNotExist, rejected, requested } from '../../xds/client/resource-state';
import type { ClientDoubts } from './client-doubts';
import type { Acceptance, RejectedPayload, RejectionEffect } from './rejected-payload';
import { ackOfRejected, beforeAck, isRejected } from './rejected-payload';
import type { AcceptedResponse, PassedResource } from './resource-reader';
import type { RowChanges } from './row-changes';
import { TypeRows } from './type-rows';
import type { TypeSubscriptions, Wants } from './type-subscriptions';

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
  readonly #held: TypeRows;
  readonly rows: ReadonlyMap<string, ResourceState>;
  readonly subscriptions: TypeSubscriptions;
  readonly #rejections = new Map<string, RejectedPayload>();
  #hasAcceptedResponse = false;

  constructor(
    readonly typeUrl: string,
    doubts: ClientDoubts,
  ) {
    this.#doubts = doubts;
    this.#held = new TypeRows(typeUrl, doubts);
    this.rows = this.#held.rows;
    this.subscriptions = this.#held.subscriptions;
  }

  /** Applies what an earlier recording thread has recorded. */
  restore(row: ResourceState): void {
    if (this.rows.size >= maxRowsOfClient) return;
    const { name, clientStatus, errorState } = row;
    this.#held.keep(row);
    this.#hasAcceptedResponse ||= clientStatus === 'ACKED';
    const failedHash = errorState?.failedHash ?? null;
    if (failedHash === null) return;
    const isAtFault = errorState?.mayBeInEffect !== true;
    this.#rejections.set(name, { isAtFault, payloads: new Map([[name, failedHash]]) });
  }

  restoreVersion(versionInfo: string): void {
    this.#held.restoreVersion(versionInfo);
  }

  get hasRejected(): boolean {
    return this.#rejections.size > 0;
  }

  /** The client holds resources of an accepted response, whose version is in the first request of its next stream. */
  get hasAccepted(): boolean {
    if (!this.#hasAcceptedResponse) return false;
    for (const row of this.rows.values()) {
      const { clientStatus } = this.#held.answered.get(row.name) ?? row;
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
    this.#held.put(requested(this.#held.keyOf(name), at), changes);
  }

  /** Applies that the client has dropped a resource and requests it again. */
  requestAgain(name: string, at: EpochMs, changes: RowChanges): void {
    if (this.rows.has(name)) this.#held.put(requested(this.#held.keyOf(name), at), changes);
  }

  /** Adds a resource that the client has requested in a message that was not recorded. */
  addMissed(name: string, at: EpochMs, changes: RowChanges): void {
    this.want(name, at, changes);
    const row = this.rows.get(name);
    if (row?.clientStatus === 'REQUESTED')
      this.#held.put({ ...row, clientStatus: 'UNKNOWN', doubt: 'not-recorded' }, changes);
  }

  /** Adds a resource that the client held before it was recorded. */
  addHeld(name: string, versionInfo: string, at: EpochMs, changes: RowChanges): void {
    const known = this.rows.get(name);
    if (known !== undefined && known.hash !== null) {
      const before = this.#held.answered.get(name);
      if (!isMissed(known) || before == null) return;
      if (this.#held.resolved(before).versionInfo === versionInfo) {
        this.clearUnanswered(name, at, changes);
        return;
      }
    }
    this.#held.put(
      { ...requested(this.#held.keyOf(name), at), clientStatus: 'UNKNOWN', versionInfo },
      changes,
    );
  }

  /** Removes a row unless a stream still requests it. */
  drop(name: string, changes: RowChanges): void {
    if (this.subscriptions.isWanted(name) || !this.rows.has(name)) return;
    this.#rejections.delete(name);
    this.#held.remove(name, changes);
  }

  /**
   * Applies that a stream begins on which the client has accepted no version of the type. That does not show that the process
   * started again if it had accepted none before either: an Envoy then skips what it rejected.
   */
  clear(changes: RowChanges): void {
    if (this.#doubts.skipsRejected && !this.#hasAcceptedResponse) return;
    for (const name of this.rows.keys()) changes.remove(this.#held.keyOf(name));
    this.reset();
  }

  reset(): void {
    this.#held.reset();
    this.#rejections.clear();
    this.#hasAcceptedResponse = false;
  }

  applyVersion(response: AcceptedResponse, changes: RowChanges): void {
    this.#hasAcceptedResponse = true;
    this.#held.applyVersion(response, changes);
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
      if (version !== '' && version !== row.versionInfo)
        this.#held.put(withOwnVersion(row, version), changes);
      return;
    }
    const versionInfo = version === '' ? ofResponse : version;
    const isV2 = apiVersion === 'v2' ? { apiVersion } : {};
    const state = accepted(
      this.#held.keyOf(name),
      { versionInfo, hash, sizeBytes: body.bytes.length, ...isV2 },
      at,
    );
    const contentVersion = isHeld ? contentVersionOf(row) : versionInfo;
    const next: ResourceState = {
      ...state,
      ...(contentVersion !== versionInfo && { contentVersion }),
      ...((version !== '' || isOfRejected) && { hasOwnVersion: true }),
    };
    const before = this.#held.answered.get(name) ?? row;
    const doubt = this.#doubts.ofAccepted(before, next, body);
    const rejection = this.#rejections.get(name);
    this.#rejections.delete(name);
    const isUnproved = payloads && before && rejection && isRejected(before, rejection, { hash, payloads });
    if (isUnproved) this.#held.put(ackOfRejected(before, next), changes);
    else this.#held.put(doubt === undefined ? next : { ...next, doubt }, changes);
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
    const held = this.#held.answered.has(name) ? this.#held.answered.get(name) : this.rows.get(name);
    const row = this.#held.resolved(
      beforeAck(isDropped || held == null ? requested(this.#held.keyOf(name), at) : held),
    );
    // Clients reject an invalid resource again with each response that contains it. The row then remains unchanged.
    const known = row.clientStatus === 'NACKED' ? row.errorState : null;
    // The payload that the client accepted last may be in a response that was not recorded.
    const isUnproved = isMissed(this.rows.get(name)) && row.versionInfo !== acceptedVersion;
    const isSame = known?.failedHash === (body?.hash ?? null) && known.details === reason;
    if (isSame && !isUnproved) {
      this.#held.put(row, changes);
      return;
    }
    const rejection = {
      reason,
      versionInfo: version === '' ? versionInfo : version,
      failedHash: body?.hash ?? null,
      ...(mayBeInEffect && { mayBeInEffect }),
    };
    const { doubt: before, ...next } = rejected(row, rejection, at, policy);
    // A rejection does not show whether the client runs what it had before.
    const isKept = before === 'without-endpoints' || before === 'deleted' || before === 'added-again';
    const doubtOfAnswer = isKept ? before : this.#doubts.ofRejected(next);
    const doubt = isUnproved ? 'not-recorded' : doubtOfAnswer;
    this.#held.put(doubt === undefined ? next : { ...next, doubt }, changes);
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
      this.#held.remove(alias, changes);
    }
  }

  /** Marks the endpoints that the cluster which needs them may be without, because a response was rejected. */
  markWithoutEndpoints(at: EpochMs, changes: RowChanges): void {
    for (const name of this.#doubts.withoutEndpoints(this.typeUrl)) {
      const row = this.rows.get(name);
      if (row === undefined || row.hash === null || row.doubt === 'without-endpoints') continue;
      this.#held.put({ ...row, doubt: 'without-endpoints', changedAt: at }, changes);
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
    const row = this.#held.resolved(this.rows.get(name) ?? requested(this.#held.keyOf(name), at));
    if (row.hash === body.hash) return;
    const mayBeInEffect = true;
    const errorState = {
      details,
      versionInfo,
      lastUpdateAttempt: at,
      failedHash: body.hash,
      mayBeInEffect,
    } as const;
    this.#held.put({ ...row, clientStatus: 'UNKNOWN', errorState, changedAt: at }, changes);
  }

  /** Marks a resource of a response that the client does not answer. */
  markUnanswered({ name, body }: PassedResource, { versionInfo, at }: Acceptance, changes: RowChanges): void {
    if (name === null || !this.subscriptions.isWanted(name)) return;
    const row = this.rows.get(name);
    if (row === undefined && this.rows.size >= maxRowsOfClient) return;
    const before = this.#held.answered.has(name) && !isMissed(row) ? this.#held.answered.get(name) : row;
    const unanswered = { versionInfo, at, hash: body?.hash ?? null };
    const held = this.#held.resolved(row ?? requested(this.#held.keyOf(name), at));
    this.#held.put({ ...held, clientStatus: 'UNKNOWN', unanswered, changedAt: at }, changes);
    this.#held.answered.set(name, before ?? null);
  }

  /** Restores the row from before the response. Either the client answers it now, or its answer was missed. */
  clearUnanswered(name: string, at: EpochMs, changes: RowChanges): void {
    const before = this.#held.answered.get(name);
    if (before === undefined) return;
    this.#held.answered.delete(name);
    if (!this.rows.has(name)) return;
    if (before !== null) this.#held.put({ ...before, changedAt: at }, changes);
    else if (this.subscriptions.isNamed(name)) this.#held.put(requested(this.#held.keyOf(name), at), changes);
    else this.#held.remove(name, changes);
  }

  /** Restores the rows of unanswered responses: on a stream that ended they are not answered any longer. */
  clearAllUnanswered(at: EpochMs, changes: RowChanges): void {
    for (const name of [...this.#held.answered.keys()])
      if (!isMissed(this.rows.get(name))) this.clearUnanswered(name, at, changes);
  }

  /** Marks the resources of a stream of which messages were missed: any of them may have changed. */
  markMissed(wants: Wants, at: EpochMs, changes: RowChanges): void {
    for (const row of [...this.rows.values()]) {
      const { unanswered, ...held } = row;
      const isKnown = row.clientStatus !== 'UNKNOWN' || unanswered !== undefined;
      if (!isKnown || !this.subscriptions.isOf(wants, row.name)) continue;
      const before = this.#held.answered.get(row.name);
      const last = this.#held.resolved(held);
      this.#held.put({ ...last, clientStatus: 'UNKNOWN', doubt: 'not-recorded', changedAt: at }, changes);
      this.#held.answered.set(row.name, before === undefined ? row : before);
    }
  }

  /** Restores the rows from before markMissed(): the client has processed no response of the type since. */
  restoreMissed(wants: Wants, at: EpochMs, changes: RowChanges): void {
    for (const name of [...this.#held.answered.keys()])
      if (isMissed(this.rows.get(name)) && this.subscriptions.isOf(wants, name))
        this.clearUnanswered(name, at, changes);
  }

  /** Applies that the payloads which the client rejected are not served any longer, so that it has what it accepted before. */
  restoreRejected(wants: Wants, at: EpochMs, changes: RowChanges): void {
    for (const row of [...this.rows.values()]) {
      if (row.errorState === null || !this.subscriptions.isOf(wants, row.name)) continue;
      this.#rejections.delete(row.name);
      if (row.hash !== null)
        this.#held.put({ ...row, clientStatus: 'ACKED', errorState: null, changedAt: at }, changes);
      else if (this.subscriptions.isNamed(row.name))
        this.#held.put(requested(this.#held.keyOf(row.name), at), changes);
      else this.#held.remove(row.name, changes);
    }
  }

  /** Applies a deletion that the client has accepted. */
  delete(name: string, at: EpochMs, changes: RowChanges): void {
    const row = this.rows.get(name);
    if (row === undefined) return;
    const isKept = this.#doubts.keepsRemoved(row);
    if (!isKept && !this.subscriptions.isNamed(name)) {
      this.#held.remove(name, changes);
      return;
    }
    if (row.clientStatus === 'DOES_NOT_EXIST' || row.doubt === 'deleted') return;
    if (isKept) {
      const { unanswered: _, ...held } = this.#held.resolved(row);
      this.#held.put(deleted(held, at, keepsDeleted), changes);
      return;
    }
    const doubt = this.#doubts.ofDeleted(row);
    if (doubt === undefined) this.#held.put(doesNotExist(this.#held.keyOf(name), at), changes);
    else {
      const { unanswered: _, ...held } = this.#held.resolved(row);
      this.#held.put({ ...held, clientStatus: 'UNKNOWN', errorState: null, doubt, changedAt: at }, changes);
    }
  }

  /** Applies what the subscriptions of the client to other resources show. */
  decideDoubts(at: EpochMs, changes: RowChanges): void {
    for (const name of this.#held.open) {
      const row = this.rows.get(name);
      if (row === undefined) this.#held.open.delete(name);
      if (row === undefined || !this.#doubts.isDecided(row)) continue;
      const { doubt, ...known } = row;
      const { clientStatus, errorState } = row;
      const dropped =
        clientStatus === 'NACKED'
          ? { ...requested(this.#held.keyOf(row.name), at), clientStatus, errorState }
          : doesNotExist(this.#held.keyOf(row.name), at);
      this.#held.put(doubt === 'deleted' ? dropped : { ...known, changedAt: at }, changes);
    }
  }
}

/** True if only the answers show the state, and an answer was missed. */
function isMissed(row: ResourceState | undefined): boolean {
  return row?.doubt === 'not-recorded';
}
