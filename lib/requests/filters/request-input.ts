import type { FieldReader } from '../../model/field-reader';
import type { InputValue } from '../matcher-tree';
import { type FindHeader, hostOf } from '../request';
import { type FilterRequest, remoteAddressOf } from './filter-decision';

/** Reads an envoy.type.matcher.v3.HttpRequestHeaderMatchInput. Several values of a header are joined. */
export function readHeaderInput(input: FieldReader, find: FindHeader): InputValue {
  const config = input.object('typedConfig');
  const type = config?.messageName() ?? '';
  if (config === undefined || !type.endsWith('.HttpRequestHeaderMatchInput'))
    return { kind: 'unknown', reason: `the input ${type || input.string('name')} is not evaluated` };
  const name = config.string('headerName').toLowerCase();
  const header = find(name);
  if (header.kind === 'depends') return { kind: 'unknown', reason: header.reason };
  if (header.kind === 'absent') return { kind: 'absent', what: `header ${name}` };
  return { kind: 'value', what: `header ${name}`, value: header.values.join(',') };
}

/** Reads the inputs that an HTTP filter can match by: headers, and envoy.extensions.matching.common_inputs.network.v3. */
export function readRequestInput(of: FilterRequest): (input: FieldReader) => InputValue {
  const { destination, request, find } = of;
  const { connection = {} } = request;
  const known = (what: string, value: string | number | undefined): InputValue =>
    value === undefined
      ? { kind: 'unknown', reason: `the ${what} is not known` }
      : value === ''
        ? { kind: 'absent', what }
        : { kind: 'value', what, value: String(value) };
  return (input) => {
    switch (input.object('typedConfig')?.messageName().split('.').at(-1)) {
      case 'DestinationPortInput':
        return known('destination port', destination.port);
      case 'DestinationIPInput':
        return known('destination address', destination.address);
      case 'DirectSourceIPInput':
        return known('address of the direct peer', connection.sourceAddress);
      case 'SourceIPInput': {
        const remote = remoteAddressOf(of);
        if (remote.kind === 'depends') return { kind: 'unknown', reason: remote.reason };
        return known('source address', remote.address);
      }
      case 'ServerNameInput':
        return known('server name (SNI)', serverNameOf(of));
      default:
        return readHeaderInput(input, find);
    }
  };
}

/** undefined: not known; empty without TLS. */
export function serverNameOf({ request, find }: FilterRequest): string | undefined {
  const { connection = {}, scheme, authority } = request;
  if (!(connection.isTls ?? scheme === 'https')) return '';
  if (connection.serverName !== undefined) return connection.serverName;
  return find(':authority').kind === 'depends' ? undefined : hostOf(authority);
}
