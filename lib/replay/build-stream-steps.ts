import type { ClientState } from '../observation/client-state';
import { foldObservation, type World } from '../observation/fold';
import type { Observation, Recorded, StreamOpened } from '../observation/observation';
import type { ResourceState } from '../observation/resource-state';
import { findResourceType } from '../xds/resource-type';
import type { ReplayResource, ReplayStep, ReplayVerdict } from './replay-plan';

type Response = Extract<Observation, { kind: 'response-received' }>;
type Answer = Extract<Observation, { kind: 'ack-sent' | 'nack-sent' }>;

interface StepDraft {
  readonly response: Response;
  readonly isDelta: boolean;
  set: ReplayResource[];
  removed: string[];
  recorded?: ReplayVerdict | undefined;
}

interface WantedStreams {
  readonly clientId: string;
  readonly sourceId: string;
  readonly streamId?: string;
}

/**
 * Builds replay steps from the responses of a client's streams. Observations of responses do not contain unchanged resources;
 * these are taken from the fold of the earlier observations. MUTABLE.
 */
export class StreamSteps {
  readonly #wanted: WantedStreams;
  readonly #world: World = new Map();
  readonly #drafts: StepDraft[] = [];
  /** The key consists of stream, type and nonce. */
  readonly #unanswered = new Map<string, StepDraft>();
  /** The value for the ID of a stream is true if it is a delta stream. */
  readonly #streams = new Map<string, boolean>();

  /** `client` is the state before the first observation. Other sources and streams than the given are left out. */
  constructor(wanted: WantedStreams, client: ClientState | undefined) {
    this.#wanted = wanted;
    if (client !== undefined) this.#world.set(client.clientId, client);
  }

  /** Precondition: observations are added in the order of the log. */
  add(observation: Recorded): void {
    const wanted = this.#wanted;
    if (!('clientId' in observation) || observation.clientId !== wanted.clientId) return;
    if (observation.sourceId !== wanted.sourceId) return;
    const isWanted =
      wanted.streamId === undefined ||
      !('streamId' in observation) ||
      observation.streamId === wanted.streamId;
    if (observation.kind === 'stream-opened') this.open(observation);
    if (isWanted && observation.kind === 'response-received') this.#respond(observation);
    foldObservation(this.#world, observation);
    if (isWanted && (observation.kind === 'ack-sent' || observation.kind === 'nack-sent')) {
      this.#answer(observation);
    }
  }

  /** Declares a stream that was opened before the first observation. */
  open({ streamId, method }: Pick<StreamOpened, 'streamId' | 'method'>): void {
    this.#streams.set(streamId, method.includes('Delta'));
  }

  knows(streamId: string): boolean {
    return this.#streams.has(streamId);
  }

  get count(): number {
    return this.#drafts.length;
  }

  steps(): ReplayStep[] {
    return this.#drafts.map(({ response, set, removed, recorded }) => {
      const { at, typeUrl, versionInfo } = response;
      return { at, types: [{ typeUrl, versionInfo, set, removed }], recorded };
    });
  }

  #respond(response: Response): void {
    const { typeUrl, versionInfo, streamId, nonce } = response;
    const isDelta = this.#streams.get(streamId) ?? false;
    const held = this.#heldOf(typeUrl);
    const sent = new Map(response.resources.map(({ name, hash }) => [name, hash]));
    const names = response.names ?? (isDelta ? [...sent.keys()] : [...held.keys(), ...sent.keys()]);
    const set = [...new Set([...names, ...sent.keys()])].flatMap((name): ReplayResource[] => {
      const hash = sent.get(name) ?? held.get(name);
      return hash === undefined ? [] : [{ typeUrl, name, hash, versionInfo }];
    });
    const draft = { response, isDelta, set, removed: [...(response.removedNames ?? [])] };
    this.#drafts.push(draft);
    this.#unanswered.set(keyOf(streamId, typeUrl, nonce), draft);
  }

  #answer(answer: Answer): void {
    const key = keyOf(answer.streamId, answer.typeUrl, answer.nonce);
    const draft = this.#unanswered.get(key);
    if (draft === undefined) return;
    this.#unanswered.delete(key);
    const isAccepted = answer.kind === 'ack-sent';
    draft.recorded = { isAccepted, errorDetail: isAccepted ? '' : answer.errorDetail };
    if (draft.isDelta) {
      const versions = new Map(answer.changed.map((row) => [row.name, sentVersionOf(row)]));
      draft.set = draft.set.map((each) => ({
        ...each,
        versionInfo: versions.get(each.name) || each.versionInfo,
      }));
      if (draft.response.removedNames !== undefined) return;
    } else if (findResourceType(answer.typeUrl)?.absenceDeletes !== true) return;
    // Only the ACK or NACK contains absent resources, and those that the server reports as errors.
    const sent = new Set(draft.isDelta ? draft.set.map(({ name }) => name) : namesOf(draft.response));
    const gone = new Set(
      [...answer.removed, ...answer.changed.filter(({ clientStatus }) => clientStatus === 'DOES_NOT_EXIST')]
        .map(({ name }) => name)
        .filter((name) => !sent.has(name) && !isDropped(answer, name)),
    );
    draft.set = draft.set.filter(({ name }) => !gone.has(name));
    draft.removed = [...draft.removed, ...gone];
  }

  /** Hashes by name, of the resources that the client held. */
  #heldOf(typeUrl: string): Map<string, string> {
    const rows: Iterable<ResourceState> =
      this.#world.get(this.#wanted.clientId)?.reports.get(this.#wanted.sourceId)?.resources.values() ?? [];
    const held = new Map<string, string>();
    for (const row of rows) {
      if (row.typeUrl === typeUrl && row.hash !== null && row.clientStatus !== 'DOES_NOT_EXIST') {
        held.set(row.name, row.hash);
      }
    }
    return held;
  }
}

/** Returns true if the client ends its subscription to the resource with the answer. */
function isDropped({ resourceNames, unsubscribedNames = [] }: Answer, name: string): boolean {
  if (unsubscribedNames.includes(name)) return true;
  // State of the world: the names are all that the client still wants.
  return resourceNames !== undefined && resourceNames.length > 0 && !resourceNames.includes(name);
}

/** The version in effect of a rejected row is an earlier one. */
function sentVersionOf({ clientStatus, versionInfo, errorState }: ResourceState): string {
  return clientStatus === 'NACKED' ? (errorState?.versionInfo ?? '') : versionInfo;
}

function namesOf({ resources }: Response): string[] {
  return resources.map(({ name }) => name);
}

function keyOf(streamId: string, typeUrl: string, nonce: string): string {
  return [streamId, typeUrl, nonce].join('\u0000');
}
