import type protobuf from 'protobufjs';
import {
  type Dump,
  type DumpItem,
  type DumpList,
  dumps,
  type ItemContext,
  readDumpItem,
} from '../dump-lists';
import { camelCase } from '../json/camel-case';
import { isJsonObject, type JsonObject } from '../json/json-object';
import { type JsonProblem, readJsonMessage } from '../json/json-to-message';
import { planOf } from '../json/type-plan';
import type { AnyMessage, ResourceMessage } from '../resource-message';
import { messageType } from '../root';
import type { DocumentView } from './document-view';
import { readAny } from './read-any';
import type { ReadElement, ReportElement, ReportedSockets, ReportProblem } from './report-plan';

/** Reads an element of a list; `place` is the path of the element. */
export type ReadJson = (
  json: unknown,
  place: string,
) => {
  readonly messages: readonly ResourceMessage[];
  readonly problems: readonly JsonProblem[];
  readonly sockets?: ReportedSockets;
};

/** A list whose elements are read alike. Paths of elements are built on demand. */
export interface ElementGroup {
  readonly place: string;
  readonly read: ReadJson;
}

export class JsonElement implements ReportElement {
  readonly #group: ElementGroup;
  readonly #index: number;
  readonly #view: DocumentView;

  constructor(
    group: ElementGroup,
    /** Index in the list, or -1 for an element that is in no list. */
    index: number,
    view: DocumentView,
  ) {
    this.#group = group;
    this.#index = index;
    this.#view = view;
  }

  get place(): string {
    const { place } = this.#group;
    return this.#index === -1 ? place : `${place}[${this.#index}]`;
  }

  get offset(): number | undefined {
    return this.#view.offset;
  }

  read(): ReadElement {
    const { place, offset } = this;
    const { read } = this.#group;
    try {
      const { messages, problems, sockets } = read(this.#view.value(), place);
      return { messages, problems: problems.map((problem) => asReportProblem(problem, offset)), sockets };
    } catch (error) {
      return {
        messages: [],
        problems: [{ place, offset, reason: explainUnread(error) }],
      };
    }
  }
}

function asReportProblem(
  { place, reason, isUnknownField }: JsonProblem,
  offset: number | undefined,
): ReportProblem {
  return { place, offset, reason: isUnknownField ? `${reason}; left out` : reason };
}

/** Reduces an error to its place, because the message of a parser may quote the document. */
export function explainUnread(error: unknown): string {
  // The messages of V8's limits quote nothing of the document.
  if (error instanceof RangeError) return `cannot be read: ${error.message}`;
  const message = error instanceof Error ? error.message : '';
  if (/^expected /.test(message)) return message;
  const at = /at position \d+/.exec(message)?.[0];
  return at === undefined ? 'not valid JSON' : `not valid JSON ${at} of this part`;
}

/**
 * Reads an item of a list in a dump. Dumps of Envoy before v3 have resources without Any. `isAlone`: it is an item of an answer to
 * ?resource=, from which ?mask= may have left out fields.
 */
export function dumpItemReader(
  dump: Dump,
  list: DumpList,
  container: string,
  context: ItemContext,
  isAlone = false,
): ReadJson {
  const type = itemTypeOf(container, list.list);
  return (given, place) => {
    const problems: JsonProblem[] = [];
    if (!isJsonObject(given)) return readAs(type, given, place);
    const json = container === 'EndpointsConfigDump' ? withoutUnsetWeights(given) : given;
    const { '@type': _, ...fields } = json;
    const names = new Map<AnyMessage, string>();
    const item = openStates(fields, dump, place, (any, name) => names.set(any, name), problems);
    const read = readJsonMessage(type, item.rest, place);
    const message: DumpItem = read.message ?? {};
    for (const [path, held] of item.held) {
      const state: unknown = path === '' ? message : Reflect.get(message, path);
      if (typeof state === 'object' && state !== null) Reflect.set(state, dump.resource, held);
    }
    const messages = readDumpItem(dump, list, message, context)
      .map((each) => nameUnknown(each, names))
      .map((each) => (isAlone && container !== 'EndpointsConfigDump' ? withoutMasked(each, names) : each));
    return { messages, problems: [...problems, ...read.problems] };
  };
}

/** Envoy writes the weight 0 of localities that have none. As config it would be invalid. */
function withoutUnsetWeights(item: JsonObject): JsonObject {
  return mapMember(item, 'endpointConfig', (config) =>
    mapMember(config, 'endpoints', (endpoints) => {
      if (!isJsonObject(endpoints)) return endpoints;
      const isUnset = ([key, value]: [string, unknown]) =>
        value === 0 && camelCase(key) === 'loadBalancingWeight';
      return Object.fromEntries(Object.entries(endpoints).filter((entry) => !isUnset(entry)));
    }),
  );
}

/** Replaces the members of an object that have this name, or the items of their lists. */
function mapMember<T>(json: T, name: string, change: (value: unknown) => unknown): T | JsonObject {
  if (!isJsonObject(json)) return json;
  const entries = Object.entries(json).map(([key, value]) => {
    if (camelCase(key) !== name) return [key, value];
    return [key, Array.isArray(value) ? value.map(change) : change(value)];
  });
  return Object.fromEntries(entries);
}

/** A body of an unknown type has no readable name. */
function nameUnknown(message: ResourceMessage, names: ReadonlyMap<AnyMessage, string>): ResourceMessage {
  const { xdsConfig, name } = message;
  if (name || !xdsConfig || xdsConfig.value !== undefined) return message;
  return { ...message, name: names.get(xdsConfig) ?? '' };
}

/**
 * Envoy states the time of each update but that of endpoints, and a resource has more than its name: where one is left out, the
 * content is not known.
 */
function withoutMasked(message: ResourceMessage, names: ReadonlyMap<AnyMessage, string>): ResourceMessage {
  const { xdsConfig, lastUpdated, name } = message;
  if (!xdsConfig) return message;
  const own = names.get(xdsConfig) ?? '';
  const isNameAlone = xdsConfig.value?.length === (wireLengthOf(own) ?? -1);
  return lastUpdated && !isNameAlone ? message : { ...message, name: name || own, xdsConfig: null };
}

/** The length of a message that has nothing but a name, whose field number is 1; undefined for a long name. */
function wireLengthOf(name: string): number | undefined {
  const bytes = Buffer.byteLength(name);
  return bytes < 128 ? bytes + 2 : bytes < 16_384 ? bytes + 3 : undefined;
}

interface OpenedItem {
  readonly rest: JsonObject;
  /** The resources by the state that holds them, '' for the item itself. */
  readonly held: readonly (readonly [string, AnyMessage | readonly AnyMessage[]])[];
}

const states: Readonly<Record<string, string>> = {
  activeState: 'activeState',
  active_state: 'activeState',
  warmingState: 'warmingState',
  warming_state: 'warmingState',
  drainingState: 'drainingState',
  draining_state: 'drainingState',
};

function openStates(
  json: JsonObject,
  dump: Dump,
  place: string,
  named: (any: AnyMessage, name: string) => void,
  problems: JsonProblem[],
): OpenedItem {
  const held: [string, AnyMessage | readonly AnyMessage[]][] = [];
  const rest: Record<string, unknown> = {};
  const take = (value: unknown, at: string): AnyMessage[] => {
    const read = readAny(value, at, dump.typeUrl);
    problems.push(...read.problems);
    if (read.any === undefined) return [];
    named(read.any, read.name);
    return [read.any];
  };
  const open = (from: JsonObject, path: string, at: string): Record<string, unknown> => {
    const kept: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(from)) {
      const state = path === '' ? states[key] : undefined;
      if (camelCase(key) === dump.resource && value !== null) {
        const isGroup = dump.resource === 'scopedRouteConfigs' && Array.isArray(value);
        const one = isGroup
          ? value.flatMap((each, index) => take(each, `${at}.${key}[${index}]`))
          : take(value, `${at}.${key}`)[0];
        if (one !== undefined) held.push([path, one]);
      } else if (state !== undefined && isJsonObject(value)) kept[key] = open(value, state, `${at}.${key}`);
      else kept[key] = value;
    }
    return kept;
  };
  Object.assign(rest, open(json, '', place));
  return { rest, held };
}

/** Reads a GenericXdsConfig. */
export const readGeneric: ReadJson = (json, place) => {
  const type = messageType('envoy.service.status.v3.ClientConfig.GenericXdsConfig');
  if (!isJsonObject(json)) return readAs(type, json, place);
  const { xdsConfig, xds_config: snake = xdsConfig, ...rest } = json;
  const { message, problems } = readJsonMessage(type, rest, place);
  if (snake === undefined || snake === null) return { messages: message ? [message] : [], problems };
  const reported: ResourceMessage = message ?? {};
  const read = readAny(
    snake,
    `${place}.${xdsConfig === undefined ? 'xds_config' : 'xdsConfig'}`,
    reported.typeUrl ?? '',
  );
  const whole: ResourceMessage = {
    ...reported,
    name: reported.name || read.name,
    xdsConfig: read.any ?? null,
  };
  return { messages: [whole], problems: [...problems, ...read.problems] };
};

/** Properties of a response that apply to its resources. They are set during the scan, after the reader exists. */
export interface ResponseFacts {
  typeUrl: string;
  versionInfo: string;
}

/** Reads a resource with or without its Resource wrapper, from a DiscoveryResponse or alone. */
export function resourceReader(facts: ResponseFacts, marks: Partial<ResourceMessage> = {}): ReadJson {
  return (json, place) => {
    const wrapper = isJsonObject(json) ? openWrapper(json) : undefined;
    const at = wrapper === undefined ? place : `${place}.resource`;
    const { any, name, problems } = readAny(wrapper?.resource ?? json, at, facts.typeUrl);
    if (any === undefined) return { messages: [], problems };
    const versionInfo = wrapper?.version || facts.versionInfo;
    // A resource of a known type has its name in its bytes.
    const reported = any.value === undefined ? name : wrapper?.name;
    return { messages: [{ ...marks, name: reported, versionInfo, xdsConfig: any }], problems };
  };
}

function openWrapper(json: JsonObject): { resource: unknown; name: string; version: string } | undefined {
  const { resource, name, version } = json;
  const isWrapper =
    json['@type'] === undefined ? isJsonObject(resource) : /\.Resource$/.test(String(json['@type']));
  if (!isWrapper || !isJsonObject(resource)) return undefined;
  return { resource, name: String(name ?? ''), version: String(version ?? '') };
}

/** Reads a message that becomes a row of its own type. */
export function ownReader(typeUrl: string, name: string, marks: Partial<ResourceMessage> = {}): ReadJson {
  return (json, place) => {
    const { any, problems } = readAny(json, place, typeUrl);
    return { messages: any === undefined ? [] : [{ ...marks, name, xdsConfig: any }], problems };
  };
}

function readAs(type: protobuf.Type, json: unknown, place: string): ReturnType<ReadJson> {
  const { message, problems } = readJsonMessage(type, json, place);
  return { messages: message === undefined ? [] : [message], problems };
}

export interface KnownList {
  readonly container: string;
  readonly dump: Dump;
  readonly list: DumpList;
}

/**
 * Finds the list whose items have this type, for the answer of Envoy to `config_dump?resource=`. Active and warming
 * clusters and secrets have the same type, and are read as active.
 */
export function findListOfItems(typeUrl: string): KnownList | undefined {
  const [container = '', item = ''] = typeUrl.split('.').slice(-2);
  const dump = dumps.get(container);
  const list = dump?.lists.find((each) => itemTypeOf(container, each.list).name === item);
  return dump !== undefined && list !== undefined ? { container, dump, list } : undefined;
}

function itemTypeOf(container: string, list: string): protobuf.Type {
  const field = planOf(messageType(`envoy.admin.v3.${container}`)).byName.get(list);
  if (field?.type === undefined) throw new Error(`protos: ${container} has no list ${list}`);
  return field.type;
}
