import type { MethodDefinition, Server, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { messageType } from '../../codec/root';
import { anyOf } from './discovery-messages';
import type { Resource } from './snapshot-store';
import type { RequestEvent } from './stream-logic';

interface ResourceChange {
  readonly set: readonly Resource[];
  readonly removed: readonly ResourceKey[];
}

interface ConfigControlOptions {
  /** Applies all changes at once. */
  readonly change: (change: ResourceChange) => void;
  readonly listResources: () => readonly Resource[];
  /** Called when a client requests a resource for which the server shall stop. */
  readonly stop: (typeUrl: string, name: string) => void;
}

interface SetResourcesMessage {
  readonly resources?: readonly {
    readonly typeUrl?: string;
    readonly name?: string;
    readonly body?: { readonly type_url?: string; readonly value?: Uint8Array };
  }[];
}

const service = 'grpc.testing.xdsconfig.XdsConfigControlService';
const maxResources = 1_000;
const maxFilters = 100;

/**
 * The service by which drivers of the interop tests control a management server (psm-interop's fallback tests): they set
 * and remove resources, and stop the server when a resource is requested.
 */
export class ConfigControl {
  readonly #options: ConfigControlOptions;
  #filters: ResourceKey[] = [];

  constructor(options: ConfigControlOptions) {
    this.#options = options;
  }

  addTo(server: Server): void {
    server.addService(
      { stopOnRequest: definitionOf('StopOnRequest'), setResources: definitionOf('SetResources') },
      {
        stopOnRequest: answered((request) => this.#stopOnRequest(request)),
        setResources: answered((request) => this.#setResources(request)),
      },
    );
  }

  /** The server stops before it answers, as by a crash. */
  receive({ typeUrl, resourceNames }: Pick<RequestEvent, 'typeUrl' | 'resourceNames'>): void {
    const found = this.#filters.find((each) => each.typeUrl === typeUrl && resourceNames.includes(each.name));
    if (found === undefined) return;
    // A server that is started again is another process, which no driver has asked to stop.
    this.#filters = [];
    this.#options.stop(found.typeUrl, found.name);
  }

  #stopOnRequest(bytes: Buffer): Buffer {
    const { typeUrl = '', name = '' } = decode<Partial<ResourceKey>>('StopOnRequestRequest', bytes);
    const filter = keyOf(typeUrl, name);
    const isKnown = this.#filters.some((each) => each.typeUrl === filter.typeUrl && each.name === name);
    if (this.#filters.length >= maxFilters && !isKnown)
      throw new Error(
        `expected at most ${maxFilters} resources at whose request the server stops, got one more`,
      );
    if (!isKnown) this.#filters.push(filter);
    return encode('StopOnRequestResponse', { filters: this.#filters });
  }

  #setResources(bytes: Buffer): Buffer {
    const { resources = [] } = decode<SetResourcesMessage>('SetResourcesRequest', bytes);
    if (resources.length > maxResources)
      throw new Error(`resources: expected at most ${maxResources}, got ${resources.length}`);
    const set: Resource[] = [];
    const removed: ResourceKey[] = [];
    for (const { typeUrl = '', name = '', body } of resources) {
      const key = keyOf(typeUrl, name);
      if (body == null) removed.push(key);
      else {
        const actual = normaliseTypeUrl(body.type_url ?? '');
        if (actual !== key.typeUrl)
          throw new Error(`resource "${name}": expected a body of the type ${key.typeUrl}, got "${actual}"`);
        set.push({ ...key, bytes: Buffer.from(body.value ?? []) });
      }
    }
    this.#options.change({ set, removed });
    return encode('SetResourcesResponse', { resource: this.#options.listResources().map(anyOf) });
  }
}

function keyOf(typeUrl: string, name: string): ResourceKey {
  if (typeUrl === '' || name === '')
    throw new Error(
      `expected a type URL and a name, got ${JSON.stringify(typeUrl)} and ${JSON.stringify(name)}`,
    );
  return { typeUrl: normaliseTypeUrl(typeUrl), name };
}

function answered(answer: (request: Buffer) => Buffer) {
  return ({ request }: ServerUnaryCall<Buffer, Buffer>, send: sendUnaryData<Buffer>): void => {
    try {
      send(null, answer(request));
    } catch (error) {
      send({ code: status.INVALID_ARGUMENT, details: messageOf(error) });
    }
  };
}

/** Methods are matched by path, because the protos do not contain this service. */
function definitionOf(method: string): MethodDefinition<Buffer, Buffer> {
  const asBytes = (bytes: Buffer): Buffer => bytes;
  return {
    path: `/${service}/${method}`,
    ...{ requestStream: false, responseStream: false },
    ...{ requestSerialize: asBytes, requestDeserialize: asBytes },
    ...{ responseSerialize: asBytes, responseDeserialize: asBytes },
  };
}

function encode(name: string, message: object): Buffer {
  return Buffer.from(messageType(`grpc.testing.xdsconfig.${name}`).encode(message).finish());
}

function decode<Message extends object>(name: string, bytes: Buffer): Message {
  return messageType(`grpc.testing.xdsconfig.${name}`).decode(bytes) as unknown as Message;
}
