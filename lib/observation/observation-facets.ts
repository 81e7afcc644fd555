import type { Observation } from './observation';
import type { ResourceChanges } from './resource-state';

interface ObservationFacets {
  readonly streamId: string | null;
  /** Its own type URL, or those of its rows, each once. */
  readonly typeUrls: readonly string[];
  /** The nonce of the response, or of the response that the request answers. */
  readonly nonce: string | null;
  readonly tookMs: number | null;
  /** Every version_info in it, accepted or rejected; empty ones are left out. May repeat. */
  readonly versions: readonly string[];
  /** Every resource name in it: requested, received, changed, removed or rejected. May repeat. */
  readonly names: readonly string[];
  /** Every error text in it; its own text, if any, comes first. */
  readonly errors: readonly string[];
}

export function facetsOf(observation: Observation): ObservationFacets {
  const versions: string[] = [];
  const names: string[] = [];
  const errors: string[] = [];
  addOwn(observation, versions, names, errors);
  if ('changed' in observation) addRows(observation, versions, names, errors);
  return {
    streamId: 'streamId' in observation ? observation.streamId : null,
    typeUrls: 'typeUrl' in observation ? [observation.typeUrl] : typesOfRows(observation),
    nonce: nonceOf(observation),
    tookMs: 'tookMs' in observation ? (observation.tookMs ?? null) : null,
    versions,
    names,
    errors,
  };
}

function typesOfRows(observation: Observation): string[] {
  if (!('changed' in observation)) return [];
  const types: string[] = [];
  for (const { typeUrl } of [
    ...observation.changed,
    ...observation.removed,
    ...(observation.typeVersions ?? []),
  ]) {
    if (!types.includes(typeUrl)) types.push(typeUrl);
  }
  return types;
}

function nonceOf(observation: Observation): string | null {
  switch (observation.kind) {
    case 'response-received':
    case 'ack-sent':
    case 'nack-sent':
      return observation.nonce;
    case 'request-sent':
      return observation.responseNonce === '' ? null : observation.responseNonce;
    default:
      return null;
  }
}

/** Adds the values that are not in rows. MUTATES the lists. */
function addOwn(observation: Observation, versions: string[], names: string[], errors: string[]): void {
  switch (observation.kind) {
    case 'request-sent':
      addTo(versions, observation.versionInfo);
      addSubscription(observation, names);
      return;
    case 'response-received':
      addTo(versions, observation.versionInfo);
      for (const { name } of observation.resources) names.push(name);
      for (const name of observation.names ?? []) names.push(name);
      for (const name of observation.removedNames ?? []) names.push(name);
      return;
    case 'ack-sent':
      addTo(versions, observation.versionInfo);
      addSubscription(observation, names);
      return;
    case 'nack-sent':
      addTo(versions, observation.versionInfo);
      addTo(versions, observation.rejectedVersion);
      addTo(errors, observation.errorDetail);
      addSubscription(observation, names);
      return;
    case 'stream-closed':
      if (observation.code !== 'OK' || observation.details !== '') {
        errors.push(`${observation.code}${observation.details === '' ? '' : `: ${observation.details}`}`);
      }
      return;
    case 'source-down':
      addTo(errors, observation.problem.message);
      return;
    case 'connections-changed':
      for (const { target, lastError = '' } of observation.connections) {
        addTo(names, target);
        addTo(errors, lastError);
      }
      return;
    case 'client-gone':
    case 'server-switched':
    case 'copies-dropped':
      addTo(errors, observation.reason);
      return;
    default:
      return;
  }
}

function addSubscription(
  {
    resourceNames = [],
    unsubscribedNames = [],
  }: { readonly resourceNames?: readonly string[]; readonly unsubscribedNames?: readonly string[] },
  names: string[],
): void {
  for (const name of resourceNames) names.push(name);
  for (const name of unsubscribedNames) names.push(name);
}

function addRows(
  { changed, removed, typeVersions = [] }: ResourceChanges,
  versions: string[],
  names: string[],
  errors: string[],
): void {
  for (const { name, versionInfo, errorState, ambientError } of changed) {
    names.push(name);
    addTo(versions, versionInfo);
    if (errorState !== null) {
      addTo(versions, errorState.versionInfo);
      addTo(errors, errorState.details);
    }
    if (ambientError !== undefined) addTo(errors, ambientError.details);
  }
  for (const { name } of removed) names.push(name);
  for (const { versionInfo } of typeVersions) addTo(versions, versionInfo);
}

function addTo(list: string[], text: string): void {
  // Consecutive rows mostly have the same version: it is added once.
  if (text !== '' && list.at(-1) !== text) list.push(text);
}
