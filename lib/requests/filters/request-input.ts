import type { FieldReader } from '../../model/field-reader';
import type { InputValue } from '../matcher-tree';
import { findMetadata } from '../metadata';
import { type FindHeader, hostOf } from '../request';
import { type FilterRequest, remoteAddressOf } from './filter-decision';

const common = 'envoy.extensions.matching.common_inputs.';

/** Reads the inputs of a virtual host: envoy.type.matcher.v3.HttpRequestHeaderMatchInput, of which several values are joined. */
export function readHeaderInput(input: FieldReader, find: FindHeader): InputValue {
  const config = input.object('typedConfig');
  if (config === undefined || !config.messageName().endsWith('.HttpRequestHeaderMatchInput'))
    return unknownInput(input);
  const name = config.string('headerName').toLowerCase();
  const header = find(name);
  if (header.kind === 'depends') return { kind: 'unknown', reason: header.reason };
  if (header.kind === 'absent') return { kind: 'absent', what: `header ${name}` };
  return { kind: 'value', what: `header ${name}`, value: header.values.join(',') };
}

/** Names what an input depends on that is outside of the config and the request. */
export function unknownInput(input: FieldReader): InputValue {
  const config = input.object('typedConfig');
  const type = config?.messageName() ?? '';
  return { kind: 'unknown', reason: reasonOf() };

  function reasonOf(): string {
    switch (type) {
      case `${common}network.v3.FilterStateInput`:
        return `it depends on the filter state ${JSON.stringify(config?.string('key'))}`;
      case `${common}network.v3.NetworkNamespaceInput`:
        return 'it depends on the network namespace of the listener';
      case `${common}environment_variable.v3.Config`:
        return `it depends on the environment variable ${JSON.stringify(config?.string('name'))} of the client`;
      default:
        return `the input ${type || input.string('name')} is not evaluated`;
    }
  }
}

/** `value`: undefined if it is not known, empty if it is absent. */
export function knownInput(what: string, value: string | number | undefined): InputValue {
  if (value === undefined) return { kind: 'unknown', reason: `the ${what} is not known` };
  return value === '' ? { kind: 'absent', what } : { kind: 'value', what, value: String(value) };
}

/** Inputs of envoy.extensions.matching.common_inputs.ssl.v3, by the ends of their types. */
const ofCertificate: Readonly<Record<string, string>> = {
  UriSanInput: 'URI names (SAN) of the certificate of the caller',
  DnsSanInput: 'DNS names (SAN) of the certificate of the caller',
  SubjectInput: 'subject of the certificate of the caller',
};

/** Reads the inputs that an HTTP filter can match by: headers, metadata, the certificate and the addresses of the connection. */
export function readRequestInput(of: FilterRequest): (input: FieldReader) => InputValue {
  const { destination, request, find } = of;
  const { connection = {} } = request;
  return (input) => {
    const config = input.object('typedConfig');
    const type = config?.messageName().split('.').at(-1) ?? '';
    const certificate = Object.hasOwn(ofCertificate, type) ? ofCertificate[type] : undefined;
    if (certificate !== undefined)
      return isTls(of) ? knownInput(certificate, undefined) : { kind: 'unavailable', what: certificate };
    switch (type) {
      case 'DestinationPortInput':
        return knownInput('destination port', destination.port);
      case 'DestinationIPInput':
        return knownInput('destination address', destination.address);
      case 'DirectSourceIPInput':
        return knownInput('address of the direct peer', connection.sourceAddress);
      case 'SourcePortInput':
        return knownInput('source port', connection.sourcePort);
      case 'SourceIPInput': {
        const remote = remoteAddressOf(of);
        if (remote.kind === 'depends') return { kind: 'unknown', reason: remote.reason };
        return knownInput('source address', remote.address);
      }
      case 'ServerNameInput':
        return knownInput('server name (SNI)', serverNameOf(of));
      case 'DynamicMetadataInput': {
        if (of.metadata === undefined)
          return { kind: 'unknown', reason: 'it depends on metadata that filters set' };
        const keys = config?.objects('path').map((each) => each.string('key')) ?? [];
        const namespace = config?.string('filter') ?? '';
        const found = findMetadata(of.metadata, namespace, keys);
        return { kind: 'metadata', what: `metadata ${[namespace, ...keys].join('.')}`, found };
      }
      default:
        return readHeaderInput(input, find);
    }
  };
}

function isTls({ request: { connection = {}, scheme } }: Pick<FilterRequest, 'request'>): boolean {
  return connection.isTls ?? scheme === 'https';
}

/** undefined: not known; empty without TLS. */
export function serverNameOf(of: Pick<FilterRequest, 'request' | 'find'>): string | undefined {
  const { request, find } = of;
  const { connection = {}, authority } = request;
  if (!isTls(of)) return '';
  if (connection.serverName !== undefined) return connection.serverName;
  return find(':authority').kind === 'depends' ? undefined : hostOf(authority);
}
