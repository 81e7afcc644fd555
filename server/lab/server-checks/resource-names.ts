import { messageNameOf } from '@/lib/xds/resource-type';
import { findMessageType } from '../../codec/root';
import { sha256 } from '../../codec/sha256';

interface AnyMessage {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

interface NamedResources {
  readonly names: string[];
  readonly versions: Record<string, string>;
  readonly content: string;
  /** Names of resources without a body: heartbeats. */
  readonly bodiless: string[];
}

const wrapper = 'envoy.service.discovery.v3.Resource';

/** Reads the names, versions and contents of the resources of a response, which protobufjs decoded. */
export function namesOfResources(resources: readonly unknown[], isDelta: boolean): NamedResources {
  const names: string[] = [];
  const versions: Record<string, string> = {};
  const contents: string[] = [];
  const bodiless: string[] = [];
  for (const resource of resources) {
    const { name, version, value } = isDelta ? readWrapped(resource) : readAny(resource);
    names.push(name);
    versions[name] = version;
    if (value === undefined) bodiless.push(name);
    contents.push(`${name} ${sha256(value ?? new Uint8Array())}`);
  }
  return { names, versions, content: contents.sort().join('\n'), bodiless };
}

interface NamedResource {
  readonly name: string;
  readonly version: string;
  /** undefined: there is no body. */
  readonly value: Uint8Array | undefined;
}

function readAny(resource: unknown): NamedResource {
  const { typeUrl, value } = anyOf(resource);
  const type = findMessageType(messageNameOf(typeUrl));
  if (type === undefined) return { name: '', version: '', value };
  const fields: Record<string, unknown> = type.toObject(type.decode(value));
  if (messageNameOf(typeUrl) === wrapper) return readWrapped(fields);
  return { name: String(fields.name ?? fields.clusterName ?? ''), version: '', value };
}

function readWrapped(resource: unknown): NamedResource {
  const { name = '', version = '', resource: inner } = Object(resource);
  const isEmpty = inner === undefined || inner === null;
  return { name: String(name), version: String(version), value: isEmpty ? undefined : anyOf(inner).value };
}

/** protobufjs names the fields of an Any as its descriptor does. */
function anyOf(resource: unknown): AnyMessage {
  const { type_url: snake, typeUrl = snake, value } = Object(resource);
  return { typeUrl: String(typeUrl ?? ''), value: value instanceof Uint8Array ? value : new Uint8Array() };
}
