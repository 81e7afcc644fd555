import { findRejectedNames } from '@/lib/nacks/find-rejected-names';
import { findResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { findMessageType } from '../../../codec/root';
import type { PendingResponse } from './pending-responses';
import type { Payloads } from './rejected-payload';
import type { PassedResource } from './resource-reader';
import type { RowChanges } from './row-changes';
import type { TypeHoldings } from './type-holdings';
import type { Wants } from './type-subscriptions';

interface SentNack {
  readonly errorDetail: string;
  /** The accepted version in the NACK. */
  readonly versionInfo: string;
  readonly userAgentName: string;
}

/** The state that an answer is applied to. MUTABLE. */
export interface AnswerTarget {
  readonly holdings: TypeHoldings;
  /** The subscription of the stream. */
  readonly wants: Wants;
  readonly at: EpochMs;
  readonly changes: RowChanges;
}

/** Applies a response that the client accepts. MUTATES `target`. */
export function applyAccepted(response: PendingResponse, target: AnswerTarget): void {
  const { holdings, at, changes } = target;
  const { versionInfo, resources } = response;
  const payloads = holdings.hasRejected ? payloadsOf(resources) : undefined;
  for (const resource of resources) {
    holdings.accept(resource, { versionInfo, at, payloads }, changes);
    holdings.resolveAliases(resource, at, changes);
  }
  applyAbsence(response, target);
  holdings.applyVersion(response, changes);
}

/** Applies what a client accepts of a response that it rejects. MUTATES `target`. */
export function applyRejected(
  response: PendingResponse,
  { errorDetail, versionInfo: sent, userAgentName }: SentNack,
  target: AnswerTarget,
): void {
  const { holdings, at, changes } = target;
  const { versionInfo, resources, isDelta } = response;
  const isChanged = ({ name, body }: PassedResource): boolean =>
    name === null || body === null || holdings.rows.get(name)?.hash !== body.hash;
  const movesVersion = !isDelta && sent !== '' && sent === versionInfo;
  const { rejected, others } = findRejectedNames({
    names: resources.map(({ name }) => name),
    changed: resources.filter(isChanged).map(({ name }) => name),
    typeUrl: holdings.typeUrl,
    errorDetail,
    userAgentName,
    movesVersion,
  });
  // gRPC clients report the version of the response for its valid resources, changed or not. Envoy keeps the versions of the
  // unchanged ones, and its requests have the version before.
  const takesVersion = movesVersion || isGrpc(userAgentName);
  const all = holdings.hasRejected ? payloadsOf(resources) : undefined;
  const acceptance = { versionInfo, at, payloads: all, acceptedVersion: sent, isOfRejected: !takesVersion };
  const payloads = payloadsOf(resources.filter(isChanged));
  for (const resource of resources) {
    const { name } = resource;
    if (name !== null && rejected.has(name)) {
      const isDropped = !isDelta && dropsNameless(userAgentName, holdings.typeUrl) && isNameless(resource);
      const atFault = { isAtFault: true, payloads };
      holdings.reject(resource, errorDetail, acceptance, changes, { isDropped, rejected: atFault });
    } else if (others === 'accepted') holdings.accept(resource, acceptance, changes);
    else if (others === 'unknown') holdings.markUnknown(resource, errorDetail, acceptance, changes);
    else if ((others === 'rejected' || others === 'one-of') && isChanged(resource)) {
      const mayBeInEffect = others === 'one-of';
      const beside = { isAtFault: false, payloads };
      holdings.reject(resource, errorDetail, acceptance, changes, { mayBeInEffect, rejected: beside });
    }
  }
  holdings.markWithoutEndpoints(at, changes);
  if (others !== 'accepted') return;
  applyAbsence(response, target);
  if (takesVersion) holdings.applyVersion(response, changes);
}

/**
 * Applies a response of which only is known that the client did not accept all of it. If one resource has changed, that one is
 * rejected. If several have, some of them may be in effect.
 */
export function applyInferred(
  { versionInfo, resources }: PendingResponse,
  reason: string,
  { holdings, at, changes }: AnswerTarget,
): void {
  const changed = resources.filter(
    ({ name, body }) => name === null || body === null || holdings.rows.get(name)?.hash !== body.hash,
  );
  const [only] = changed;
  if (changed.length === 1 && only !== undefined) {
    const rejected = { isAtFault: true, payloads: payloadsOf(changed) };
    holdings.reject(only, reason, { versionInfo, at }, changes, { rejected });
    return;
  }
  for (const each of changed) holdings.markUnknown(each, reason, { versionInfo, at }, changes);
}

function payloadsOf(resources: readonly PassedResource[]): Payloads {
  const payloads = new Map<string, string>();
  for (const { name, body } of resources) if (name !== null && body !== null) payloads.set(name, body.hash);
  return payloads;
}

/** gRPC clients delete a listener or cluster that a response lacks. A payload that does not decode has no name for them. */
function dropsNameless(userAgentName: string, typeUrl: string): boolean {
  return isGrpc(userAgentName) && findResourceType(typeUrl)?.absenceDeletes === true;
}

function isGrpc(userAgentName: string): boolean {
  return /^grpc/i.test(userAgentName);
}

function isNameless({ body }: PassedResource): boolean {
  if (body === null) return true;
  try {
    findMessageType(body.typeUrl)?.decode(body.bytes);
    return false;
  } catch {
    // protobufjs throws for bytes that are not a message.
    return true;
  }
}

/** A resource that a response lacks is deleted for this stream, and not for others with the same node (gRFC A71). */
function applyAbsence(
  { isDelta, removed, resources }: PendingResponse,
  { holdings, wants, at, changes }: AnswerTarget,
): void {
  for (const name of removed) holdings.delete(name, at, changes);
  if (isDelta || findResourceType(holdings.typeUrl)?.absenceDeletes !== true) return;
  const present = new Set(resources.map(({ name }) => name));
  for (const [name, { clientStatus }] of [...holdings.rows]) {
    // An unknown resource remains, because the response may be older than the request.
    if (present.has(name) || clientStatus === 'REQUESTED' || !holdings.subscriptions.isOf(wants, name))
      continue;
    holdings.delete(name, at, changes);
  }
}
