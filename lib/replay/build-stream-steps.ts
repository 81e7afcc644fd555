import type { ClientState } from '../observation/client-state';
import { foldObservation, type World } from '../observation/fold';
import type { Observation, Recorded, ResourceState } from '../observation/observation';
import { findResourceType } from '../xds/resource-type';
import type { ReplayResource, ReplayStep, ReplayVerdict } from './replay-plan';

type Response = Extract<Observation, { kind: 'response-received' }>;
type Answer = Extract<Observation, { kind: 'ack-sent' | 'nack-sent' }>;

interface StepDraft {
  readonly response: Response;
  readonly isDelta: boolean;
  set: ReplayResource[];
  removed: string[];
  recorded: ReplayVerdict | null;
}

/**
 * The responses of a client's streams, each with all that it held. What a client had already is not told with a response:
 * it is taken from what the client held then, which is the fold of what came before.
 */
export class StreamSteps {
  readonly #world: World = new Map();
  readonly #drafts: StepDraft[] = [];
  /** By stream, type and nonce. */
  readonly #unanswered = new Map<string, StepDraft>();
  readonly #deltaStreams = new Set<string>();

  /** `client` is what it was before; it is folded on. `streamId` and `sourceId`: only these are served. */
  constructor(
    private readonly wanted: {
      readonly clientId: string;
      readonly sourceId: string;
      readonly streamId?: string;
    },
    client: ClientState | undefined,
  ) {
    if (client !== undefined) this.#world.set(client.clientId, client);
  }

  /** In the order of the log. */
  add(observation: Recorded): void {
    const { wanted } = this;
    if (!('clientId' in observation) || observation.clientId !== wanted.clientId) return;
    if (observation.sourceId !== wanted.sourceId) return;
    const isWanted =
      wanted.streamId === undefined ||
      !('streamId' in observation) ||
      observation.streamId === wanted.streamId;
    if (observation.kind === 'stream-opened' && observation.method.includes('Delta')) {
      this.#deltaStreams.add(observation.streamId);
    }
    if (isWanted && observation.kind === 'response-received') this.#respond(observation);
    foldObservation(this.#world, observation);
    if (isWanted && (observation.kind === 'ack-sent' || observation.kind === 'nack-sent')) {
      this.#answer(observation);
    }
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
    const isDelta = this.#deltaStreams.has(streamId);
    const held = this.#heldOf(typeUrl);
    const sent = new Map(response.resources.map(({ name, hash }) => [name, hash]));
    const names = response.names ?? (isDelta ? [...sent.keys()] : [...held.keys(), ...sent.keys()]);
    const set = [...new Set([...names, ...sent.keys()])].flatMap((name): ReplayResource[] => {
      const hash = sent.get(name) ?? held.get(name);
      return hash === undefined ? [] : [{ typeUrl, name, hash, versionInfo }];
    });
    const draft = { response, isDelta, set, removed: [...(response.removedNames ?? [])], recorded: null };
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
      const versions = new Map(answer.changed.map(({ name, versionInfo }) => [name, versionInfo]));
      draft.set = draft.set.map((each) => ({
        ...each,
        versionInfo: versions.get(each.name) || each.versionInfo,
      }));
      return;
    }
    if (findResourceType(answer.typeUrl)?.absenceDeletes !== true) return;
    // Only the answer tells what was absent.
    const sent = new Set(draft.response.resources.map(({ name }) => name));
    const gone = new Set(
      [...answer.removed, ...answer.changed.filter(({ clientStatus }) => clientStatus === 'DOES_NOT_EXIST')]
        .map(({ name }) => name)
        .filter((name) => !sent.has(name)),
    );
    draft.set = draft.set.filter(({ name }) => !gone.has(name));
    draft.removed = [...draft.removed, ...gone];
  }

  /** Name -> hash, of what the client had in use. */
  #heldOf(typeUrl: string): Map<string, string> {
    const rows: Iterable<ResourceState> =
      this.#world.get(this.wanted.clientId)?.reports.get(this.wanted.sourceId)?.resources.values() ?? [];
    const held = new Map<string, string>();
    for (const row of rows) {
      if (row.typeUrl === typeUrl && row.hash !== null && row.clientStatus !== 'DOES_NOT_EXIST') {
        held.set(row.name, row.hash);
      }
    }
    return held;
  }
}

function keyOf(streamId: string, typeUrl: string, nonce: string): string {
  return [streamId, typeUrl, nonce].join('\u0000');
}
