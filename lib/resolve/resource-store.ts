import { by } from '../collections/compare';
import { bodyInEffect, inEffect } from '../facts/effect';
import { type Failing, noFailing } from '../facts/failing-endpoints';
import { compareNames } from '../format/compare-names';
import { type HostHealthModel, hostHealthTypeUrl } from '../model/host-health';
import type { ResourceModel } from '../model/parse-resource';
import { describeDoubt } from '../observation/describe-doubt';
import {
  type Doubt,
  effectStageOf,
  type HeldState,
  isAckOfRejected,
  isInDoubt,
} from '../observation/effect-stage';
import type { Side } from '../observation/observation';
import type { ResourceKey } from '../observation/resource-state';
import { clientOf, type Profile } from '../xds/profile';
import { normaliseResourceName } from '../xds/resource-name';
import { CDS, ECDS, findResourceType, formatResourceType, LDS, RDS, SDS } from '../xds/resource-type';
import type { ClientStatus } from '../xds/status';
import type { EpochMs } from '../xds/units';
import { type FileEvidence, readFileEvidence, whyNotInFile } from './not-in-file';
import { describeRejection, type Rejection } from './rejection';
import type { MissingResource, MissingWhy, UsedResource } from './xds-config';

export interface ResolveRow extends ResourceKey, HeldState {
  readonly side?: Side | undefined;
  readonly versionInfo: string;
  readonly changedAt: EpochMs;
  readonly apiVersion?: 'v2' | undefined;
  readonly doubt?: Doubt | undefined;
  readonly errorState: {
    readonly failedHash: string | null;
    readonly details: string;
    readonly mayBeInEffect?: true | undefined;
  } | null;
}

/**
 * A row and the model of its body. The model is absent if no body was reported, the body cannot be read, or no client
 * would use it.
 */
export interface ResolveResource {
  readonly row: ResolveRow;
  readonly model: ResourceModel | undefined;
  /** Its bodies are read on demand: see takeUnread(). */
  readonly isUnread?: boolean;
  /** The reason why the client does not use it although it has ACKed it. Absent: it does. */
  readonly whyUnused?: string;
  /** The reason why the client may use an earlier payload of it. Absent: it does not. */
  readonly whyEarlier?: string;
  /** If another client accepted the row: the verdict of the profile's client about its bodies. */
  readonly validated?: Judgement;
}

export interface Judgement {
  /** The body that it would use; absent if none. */
  readonly hash?: string | undefined;
  /** The reason why it would not use the newest body; null if it would. */
  readonly rejection: Rejection | null;
  /** Differences from the status of the row; empty if there are none. */
  readonly note: string;
}

type Kind = ResourceModel['kind'];
type ModelOf<K extends Kind> = Extract<ResourceModel, { kind: K }>;

/** The state that a watcher of the resource would have received (gRFC A88). */
export type Standing<K extends Kind> =
  /** `used.note` is an ambient error; the earlier good data stays in use. */
  | {
      readonly kind: 'data';
      readonly model: ModelOf<K>;
      readonly used: UsedResource;
      /** Set if the profile's client would reject a newer body. */
      readonly rejection: Rejection | null;
    }
  | { readonly kind: 'error'; readonly reason: string; readonly rejection: Rejection | null }
  /** No data yet, or data that xdscope does not have. */
  | { readonly kind: 'missing'; readonly missing: MissingResource };

/**
 * The resources of one client by type and name, in any spelling of the name (gRFC A47). MUTABLE: set and delete apply
 * the changes of the client.
 */
export class ResourceStore {
  /** The endpoints that fail, as the client measured it. */
  failing: Failing = noFailing;

  readonly #profile: Profile;
  readonly #mayHoldWithdrawn: boolean;

  /** Nested by type and name, so that a lookup needs no combined key. */
  readonly #byType = new Map<string, Map<string, ResolveResource>>();
  /** Resources in messages that were not recorded. */
  readonly #unrecorded = new Set<ResolveResource>();
  /** Read again after a change. */
  #evidence: FileEvidence | undefined;
  /** Resources that were requested before they were read. */
  #unread = new Set<ResolveResource>();

  constructor(profile: Profile, mayHoldWithdrawn = false) {
    this.#profile = profile;
    this.#mayHoldWithdrawn = mayHoldWithdrawn;
  }

  set(resource: ResolveResource): void {
    const { typeUrl } = resource.row;
    const name = normaliseResourceName(resource.row.name);
    this.#forgetUnrecorded(resource.row);
    if (resource.row.doubt === 'not-recorded') this.#unrecorded.add(resource);
    this.#evidence = undefined;
    const ofType = this.#byType.get(typeUrl);
    if (ofType === undefined) this.#byType.set(typeUrl, new Map([[name, resource]]));
    else ofType.set(name, resource);
  }

  delete({ typeUrl, name }: ResourceKey): void {
    this.#forgetUnrecorded({ typeUrl, name });
    this.#evidence = undefined;
    this.#byType.get(typeUrl)?.delete(normaliseResourceName(name));
  }

  /** True if a resource that has no row may have been in a message that was not recorded. */
  get hasUnrecorded(): boolean {
    return this.#unrecorded.size > 0;
  }

  /** What decides why resources without a row are missing. Equal texts: nothing of it has changed. */
  get absenceKey(): string {
    const { kind, hasClusters, hasEndpoints, hasHosts, isWhole } = this.#readEvidence();
    return [this.hasUnrecorded, kind, hasClusters, hasEndpoints, hasHosts, isWhole].join(' ');
  }

  #readEvidence(): FileEvidence {
    this.#evidence ??= readFileEvidence((typeUrl) => rowsOf(this.#byType.get(typeUrl)));
    return this.#evidence;
  }

  #forgetUnrecorded(key: ResourceKey): void {
    if (!this.hasUnrecorded) return;
    const known = this.find(key);
    if (known !== undefined) this.#unrecorded.delete(known);
  }

  find({ typeUrl, name }: ResourceKey): ResolveResource | undefined {
    return this.#byType.get(typeUrl)?.get(normaliseResourceName(name));
  }

  /** The body that the client uses; undefined if none is known. */
  hashInUse(key: ResourceKey): string | undefined {
    const found = this.find(key);
    if (found === undefined) return undefined;
    return found.validated === undefined ? bodyInEffect(found.row) : found.validated.hash;
  }

  /** Resources that were needed and are not read. Each is returned once; until they are set again, they are missing. */
  takeUnread(): ResolveResource[] {
    const unread = [...this.#unread].filter((each) => this.find(each.row) === each);
    this.#unread = new Set();
    return unread;
  }

  /** The hosts of a cluster that Envoy balances on, with their health; undefined if they are not reported. */
  findHosts(cluster: string): HostHealthModel | undefined {
    const found = this.find({ typeUrl: hostHealthTypeUrl, name: cluster });
    if (found?.isUnread === true) this.#unread.add(found);
    return found?.model?.kind === 'host-health' ? found.model : undefined;
  }

  /** Returns the first of these secrets of which nothing is in effect, and the reason as a phrase. */
  findSecretWithoutEffect(
    names: readonly string[],
  ): { readonly by: ResourceKey; readonly text: string } | undefined {
    for (const name of names) {
      const by = { typeUrl: SDS.typeUrl, name };
      const row = this.find(by)?.row;
      const effect = row && inEffect(row);
      if (effect?.kind !== 'none') continue;
      return { by, text: `secret "${name}" has no payload in effect, because ${effect.because}` };
    }
    return undefined;
  }

  /** States of which of these secrets it is not known if the client uses it, since it is the one that it rejected. */
  describeRejectedSecrets(names: readonly string[]): string[] {
    return names.flatMap((name) => {
      const row = this.find({ typeUrl: SDS.typeUrl, name })?.row;
      if (row === undefined || row.errorState === null) return [];
      const effect = inEffect(row);
      return effect.kind === 'unknown' ? [`Secret "${name}": ${effect.because}.`] : [];
    });
  }

  /** Sorted by name. */
  ofKind<K extends Kind>(typeUrl: string, kind: K): { row: ResolveRow; model: ModelOf<K> }[] {
    const found: { row: ResolveRow; model: ModelOf<K> }[] = [];
    for (const resource of this.#byType.get(typeUrl)?.values() ?? []) {
      const { row, model, isUnread } = resource;
      if (isUnread === true) this.#unread.add(resource);
      if (isKind(model, kind)) found.push({ row, model });
    }
    return found.sort(by((each) => each.row.name, compareNames));
  }

  standingOf<K extends Kind>(typeUrl: string, name: string, kind: K, neededBy: string): Standing<K> {
    const found = this.find({ typeUrl, name });
    const missing = (why: MissingWhy, text: string, isAbsent = false): Standing<K> => ({
      kind: 'missing',
      missing: {
        ...{ typeUrl, name, why, text, neededBy, since: found?.row.changedAt },
        ...(isAbsent && { isAbsent }),
      },
    });
    if (found === undefined && this.hasUnrecorded)
      return missing('in-doubt', 'messages were not recorded: the client may have requested and accepted it');
    if (found === undefined && this.#mayHoldWithdrawn && typeUrl !== LDS.typeUrl)
      return missing(
        'in-doubt',
        'no request for it is recorded since the stream to another management server ended: this client withdraws its requests before it ends a stream, and may keep what it received on it, which its CSDS would show',
      );
    if (found === undefined) {
      const isInHosts = this.find({ typeUrl: hostHealthTypeUrl, name }) !== undefined;
      const evidence = this.#readEvidence();
      const why = whyNotInFile(typeUrl, evidence, isInHosts);
      if (why !== '') return missing('in-doubt', why);
      // A dump contains the clusters and listeners of the bootstrap as well, and each filter config that was accepted.
      const isAbsent =
        typeUrl === CDS.typeUrl
          ? evidence.kind === 'config-dump'
          : evidence.isWhole && (typeUrl === LDS.typeUrl || typeUrl === ECDS.typeUrl);
      return missing('never-asked', 'the client neither holds nor requests it', isAbsent);
    }
    const { row, model, validated } = found;
    if (found.isUnread === true) {
      this.#unread.add(found);
      return missing('unreadable', 'its config is not read yet');
    }
    const rejection = validated?.rejection ?? null;
    if (found.whyUnused !== undefined) {
      const reason = `${nounOf(row)} "${name}" is not in use: ${found.whyUnused}`;
      return { kind: 'error', reason, rejection: null };
    }
    if (isKind(model, kind)) {
      const hash = this.hashInUse(row);
      const note = validated?.note || noteOf(row, this.#profile);
      return {
        kind: 'data',
        model,
        used: {
          typeUrl,
          name,
          versionInfo: row.versionInfo,
          hash,
          note,
          ...(row.apiVersion && { apiVersion: row.apiVersion }),
          // That no Envoy is known to run a bootstrap file concerns all of the config: whyNoClient() states it.
          ...(row.doubt &&
            row.doubt !== 'configured' &&
            isInDoubt(row) && { doubt: describeDoubt(row, row.doubt) }),
          ...(found.whyEarlier !== undefined && { doubt: `${nounOf(row)} "${name}": ${found.whyEarlier}` }),
        },
        rejection,
      };
    }
    // gRFC A88: a rejection without earlier good data is an error of the resource.
    if (rejection !== null) {
      return { kind: 'error', reason: describeRejection(rejection, this.#profile), rejection };
    }
    if (row.errorState?.mayBeInEffect)
      return missing(
        'in-doubt',
        'the client rejected the response that carried it, and which part of the response is in effect is not on the wire: its admin interface would show it',
      );
    if (
      clientOf(this.#profile) === 'envoy' &&
      typeUrl === RDS.typeUrl &&
      row.clientStatus === 'DOES_NOT_EXIST'
    )
      return missing('requested', 'it does not exist; Envoy ignores this answer, and waits for it');
    // The payload that the client held before a rejection may be in a message that was not recorded.
    if (row.doubt === 'not-recorded' && bodyInEffect(row) === undefined)
      return missing('in-doubt', describeDoubt(row, row.doubt));
    if (isFailure(row.clientStatus)) return { kind: 'error', reason: reasonOf(row), rejection: null };
    const stage = effectStageOf(row);
    if (stage === 'warming') return missing('warming', describeWarming(row));
    if (stage === 'draining') return { kind: 'error', reason: drains(row), rejection: null };
    if (bodyInEffect(row) !== undefined)
      return missing('unreadable', 'its config is not stored or cannot be read');
    if (isAckOfRejected(row))
      return missing('not-reported', 'ACKed after the same payload was rejected: it may not be in effect');
    if (row.clientStatus === 'ACKED')
      return missing('not-reported', 'accepted, and its config was not reported');
    if (row.clientStatus === 'REQUESTED') return missing('requested', 'requested; no response yet');
    return missing('not-reported', 'its state was not reported');
  }
}

function* rowsOf(resources: ReadonlyMap<string, ResolveResource> | undefined): Generator<ResolveRow> {
  for (const { row } of resources?.values() ?? []) yield row;
}

/** Envoy binds a listener when it has warmed. */
function describeWarming(row: ResolveRow): string {
  const text = 'it warms: resources that it depends on are awaited';
  const isNew = row.typeUrl === LDS.typeUrl && inEffect(row).kind === 'none';
  return isNew ? `${text}; no version of it was active before, so that it accepts no connection` : text;
}

function isKind<K extends Kind>(model: ResourceModel | undefined, kind: K): model is ModelOf<K> {
  return model?.kind === kind;
}

function isFailure(status: ClientStatus): boolean {
  return ['NACKED', 'DOES_NOT_EXIST', 'RECEIVED_ERROR', 'TIMEOUT'].includes(status);
}

/** gRFC A88: an error beside good data is ambient. It is reported, and nothing fails. */
function noteOf(row: ResolveRow, profile: Profile): string {
  if (row.errorState?.mayBeInEffect)
    return 'a part of a rejected response is in effect: it may have another payload';
  if (row.clientStatus === 'REQUESTED') return 'an update was requested';
  if (isInDoubt(row) || !isFailure(row.clientStatus)) return '';
  if (bodyInEffect(row) === undefined) return reasonOf(row);
  // gRFC A88: with fail_on_data_errors, Java reports the same row, and requests fail.
  const isDoubtful = clientOf(profile) === 'java' && row.clientStatus === 'NACKED';
  const unless = isDoubtful ? ', unless its bootstrap has fail_on_data_errors, which it does not report' : '';
  return `${reasonOf(row)}; the last good config stays in use${unless}`;
}

function nounOf({ typeUrl }: ResolveRow): string {
  return findResourceType(typeUrl)?.noun ?? formatResourceType(typeUrl);
}

function drains(row: ResolveRow): string {
  return `${nounOf(row)} "${row.name}" drains: it is removed or replaced, and serves only connections that exist`;
}

function reasonOf(row: ResolveRow): string {
  const { name, clientStatus, errorState } = row;
  const noun = nounOf(row);
  const details = errorState?.details ? `: ${errorState.details}` : '';
  switch (clientStatus) {
    case 'DOES_NOT_EXIST':
      return `${noun} "${name}" does not exist${details}`;
    case 'NACKED':
      return `${noun} "${name}" was rejected${details}`;
    case 'TIMEOUT':
      return `${noun} "${name}" was not received in time${details}`;
    default:
      return `the management server answered ${noun} "${name}" with an error${details}`;
  }
}
