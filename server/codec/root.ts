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
/** Incremented when user types change. All data that is derived from types must then be derived again. */
let version = 0;

/**
 * The root of all descriptors. A type is built when it is visited up; allMessageTypes() builds all. Reflection is as
 * fast as generated code in measurements.
 */
export function descriptorRoot(): LazyRoot {
  if (loaded === undefined) {
    const file = path.join(projectRoot, 'protos', 'generated', 'types.txt');
    loaded = new LazyRoot(readFileSync(file, 'utf8'));
    const types = userTypesOfThread();
    if (types.length > 0) replaceUserTypes(loaded, types);
    // protojson and textformat resolve each Any with this method, which by default also matches the last parts of a
    // name.
    loaded.lookupType = (path) => {
      const name = (Array.isArray(path) ? path.join('.') : path).replace(/^\./, '');
      const type = findMessageType(name);
      if (type === undefined) throw new Error(unknownTypeReason(name));
      return type;
    };
  }
  return loaded;
}

/** Common message types, besides the resource types. */
const usualTypes = [
  'envoy.admin.v3.ConfigDump',
  'envoy.service.status.v3.ClientStatusResponse',
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
];

/** Builds the types that nearly every resource needs, which takes about 70 ms, before the first one is requested. */
export function makeCommonTypes(): void {
  for (const { typeUrl } of resourceTypes) findMessageType(typeUrl);
  for (const name of usualTypes) messageType(name);
}

export function typesVersion(): number {
  return version;
}

/** Replaces the types of users in this thread, and in the threads that it starts from now on. */
export function setUserTypes(types: readonly UserType[]): void {
  publishToNewThreads(types);
  setUserTypesHere(types);
}

/** Throws if a type is invalid. The registered types remain the same. */
export function assertUserTypes(types: readonly UserType[]): void {
  try {
    rehearseUserTypes(descriptorRoot(), types);
  } finally {
    // The restored types are new objects.
    found.clear();
    version++;
  }
}

/** Replaces the types of users in this thread only. */
export function setUserTypesHere(types: readonly UserType[]): void {
  replaceUserTypes(descriptorRoot(), types);
  found.clear();
  version++;
}

/** Returns the message for a type that no descriptor set declares. */
export function unknownTypeReason(nameOrTypeUrl: string): string {
  return `the type "${nameOrTypeUrl}" is not in xdscope's protos`;
}

const found = new Map<string, protobuf.Type | undefined>();

/**
 * Finds a type by full name or type URL; returns undefined if it is unknown. A v2 type is decoded as its v3 twin if
 * there is one, whose annotations mark the secrets.
 */
export function findMessageType(nameOrTypeUrl: string): protobuf.Type | undefined {
  const name = nameOrTypeUrl.slice(nameOrTypeUrl.lastIndexOf('/') + 1);
  if (name === '') return undefined;
  const known = found.get(name);
  if (known !== undefined) return known;
  const type = findV2Twin(name) ?? findByFullName(name);
  // Unknown names are not cached, because peers can send any number of them.
  if (type !== undefined) found.set(name, type);
  return type;
}

/**
 * Returns the v3 twin of a type of the v2 API (or of the unversioned and v2alpha types of its time), or undefined for
 * other types. Field numbers are the same in both; fields that v3 dropped are unknown fields of the twin.
 */
function findV2Twin(name: string): protobuf.Type | undefined {
  const { previous } = descriptorRoot();
  const later = Object.hasOwn(previous, name) ? previous[name] : undefined;
  return later === undefined ? undefined : findByFullName(later);
}

export function v2TypeNames(): Iterable<string> {
  return Object.keys(descriptorRoot().previous);
}

/** Returns all message types, including nested ones. This builds every type, which takes about 0.4 s. */
export function allMessageTypes(): Iterable<protobuf.Type> {
  const root = descriptorRoot();
  root.makeAll();
  return messageTypesBelow(root);
}

/** Accepts a full name or a type URL. */
export function isV2Type(nameOrTypeUrl: string): boolean {
  const name = nameOrTypeUrl.slice(nameOrTypeUrl.lastIndexOf('/') + 1);
  return findV2Twin(name) !== undefined || /^envoy\.(?:\w+\.)*v2(?:alpha\d*)?\.\w/.test(name);
}

function findByFullName(name: string): protobuf.Type | undefined {
  const type = descriptorRoot().lookup(`.${name}`, [protobuf.Type]);
  // protobufjs also matches the last parts of a name.
  return type instanceof protobuf.Type && type.fullName === `.${name}` ? type : undefined;
}

/** Finds a type that ships with xdscope. A missing type is a build error, and throws. */
export function messageType(name: string): protobuf.Type {
  const type = findMessageType(name);
  if (type === undefined) throw new Error(`protos: message type "${name}" is not in the descriptor root`);
  return type;
}
