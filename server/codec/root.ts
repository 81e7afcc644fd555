import { readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';
import { resourceTypes } from '@/lib/xds/resource-type';
import { projectRoot } from '../project-root';
import { LazyRoot } from './lazy-root';
import { messageTypesBelow } from './message-types';
import type { UserType } from './user-types';
import { publishToNewThreads, rehearseUserTypes, replaceUserTypes, userTypesOfThread } from './user-types';

let loaded: LazyRoot | undefined;
/** Goes up when types come or go; what was worked out of all types is worked out anew then. */
let version = 0;

/**
 * Every message type that xdscope knows, by reflection (measured as fast as generated code, and steadier). A type is made
 * when it is looked up; who goes through all of them asks allMessageTypes().
 */
export function descriptorRoot(): LazyRoot {
  if (loaded === undefined) {
    const file = path.join(projectRoot, 'protos', 'generated', 'types.txt');
    loaded = new LazyRoot(readFileSync(file, 'utf8'));
    const types = userTypesOfThread();
    if (types.length > 0) replaceUserTypes(loaded, types);
    // protojson and textformat resolve every Any through this method; by default it would also take a type of the same last words.
    loaded.lookupType = (path) => {
      const name = (Array.isArray(path) ? path.join('.') : path).replace(/^\./, '');
      const type = findMessageType(name);
      if (type === undefined) throw new Error(unknownTypeReason(name));
      return type;
    };
  }
  return loaded;
}

/** What most resources are made of, beside the types that are reported by their type URLs. */
const usualTypes = [
  'envoy.admin.v3.ConfigDump',
  'envoy.service.status.v3.ClientStatusResponse',
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
];

/** Makes what nearly every resource needs, some 70 ms of a processor: before anybody waits for it. */
export function makeUsualTypes(): void {
  for (const { typeUrl } of resourceTypes) findMessageType(typeUrl);
  for (const name of usualTypes) messageType(name);
}

export function typesVersion(): number {
  return version;
}

/** Types of users, in the place of those before; in this thread, and in those that are started from it. */
export function setUserTypes(types: readonly UserType[]): void {
  publishToNewThreads(types);
  setUserTypesHere(types);
}

/** Throws what is wrong with them; nothing has changed afterwards. */
export function assertUserTypes(types: readonly UserType[]): void {
  try {
    rehearseUserTypes(descriptorRoot(), types);
  } finally {
    // Types are found anew: those that were put back are other objects.
    found.clear();
    version++;
  }
}

/** Types of users, in the place of those before; in this thread alone. */
export function setUserTypesHere(types: readonly UserType[]): void {
  replaceUserTypes(descriptorRoot(), types);
  found.clear();
  version++;
}

/** The message for a type that no descriptor set declares. */
export function unknownTypeReason(nameOrTypeUrl: string): string {
  return `the type "${nameOrTypeUrl}" is not in xdscope's protos`;
}

const found = new Map<string, protobuf.Type | undefined>();

/**
 * By full name ("envoy.config.cluster.v3.Cluster") or type URL; undefined when unknown. A type of the v2 API is read
 * through its v3 twin, where it has one: that knows what is secret in it.
 */
export function findMessageType(nameOrTypeUrl: string): protobuf.Type | undefined {
  const name = nameOrTypeUrl.slice(nameOrTypeUrl.lastIndexOf('/') + 1);
  if (name === '') return undefined;
  const known = found.get(name);
  if (known !== undefined) return known;
  const type = findV2Twin(name) ?? findByFullName(name);
  // Names that are none come from outside, and without end.
  if (type !== undefined) found.set(name, type);
  return type;
}

/**
 * The v3 type that a type of the v2 API (v2alpha and the unversioned ones of its time included) is read as; undefined for
 * all others. Field numbers are the same in both, so that the bytes of the one read as the other; what v3 dropped is
 * unknown there.
 */
export function findV2Twin(name: string): protobuf.Type | undefined {
  const { previous } = descriptorRoot();
  const later = Object.hasOwn(previous, name) ? previous[name] : undefined;
  return later === undefined ? undefined : findByFullName(later);
}

/** Types of the v2 API by full name. */
export function v2TypeNames(): Iterable<string> {
  return Object.keys(descriptorRoot().previous);
}

/** All of them, those inside others too: makes all that were not asked for yet, which takes a while. */
export function allMessageTypes(): Iterable<protobuf.Type> {
  const root = descriptorRoot();
  root.makeAll();
  return messageTypesBelow(root);
}

/** Of a full name or a type URL. */
export function isV2Type(nameOrTypeUrl: string): boolean {
  const name = nameOrTypeUrl.slice(nameOrTypeUrl.lastIndexOf('/') + 1);
  return findV2Twin(name) !== undefined || /^envoy\.(?:\w+\.)*v2(?:alpha\d*)?\.\w/.test(name);
}

function findByFullName(name: string): protobuf.Type | undefined {
  const type = descriptorRoot().lookup(`.${name}`, [protobuf.Type]);
  // protobufjs also finds "Cluster" somewhere below; only the whole name is the type that was meant.
  return type instanceof protobuf.Type && type.fullName === `.${name}` ? type : undefined;
}

/** For types that ship with xdscope; absence is a build error, not bad input. */
export function messageType(name: string): protobuf.Type {
  const type = findMessageType(name);
  if (type === undefined) throw new Error(`protos: message type "${name}" is not in the descriptor root`);
  return type;
}
