import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { findMessageType } from '../root';
import { MessageCollector } from './collect-message';
import { containerNames, type DocumentKind, findContainerKind } from './containers';
import type { InputProblem, InputResource } from './input';

interface ReadProtobuf {
  /** `other` if the bytes are of no container that has resources in it. */
  readonly kind: DocumentKind;
  /** The full name of the message as which the bytes were read; absent for bytes of no known type. */
  readonly message?: string;
  readonly resources: readonly InputResource[];
  readonly problems: readonly InputProblem[];
}

/**
 * Reads the resources in binary protobuf; never throws. `typeUrl` is the type URL or full name of the message if it is
 * known. Protobuf is not self-describing: without `typeUrl`, the bytes are read as the first container as which they
 * decode without a problem.
 */
export function readProtobuf(bytes: Uint8Array, typeUrl: string | undefined): ReadProtobuf {
  if (typeUrl !== undefined) {
    const collector = new MessageCollector();
    const type = findMessageType(typeUrl);
    const kind = type === undefined ? undefined : findContainerKind(type);
    if (type !== undefined && kind !== undefined) collector.bytes(type, bytes, '');
    else collector.add(normaliseTypeUrl(typeUrl), bytes, '');
    const { resources, problems } = collector;
    return {
      kind: kind ?? 'resource',
      ...(type !== undefined && { message: type.fullName.slice(1) }),
      resources,
      problems,
    };
  }
  for (const name of [...containerNames, 'google.protobuf.Any']) {
    const type = findMessageType(name);
    const collector = new MessageCollector();
    if (type === undefined || !collector.bytes(type, bytes, '')) continue;
    const { resources, problems } = collector;
    if (resources.length === 0 || problems.length > 0) continue;
    return { kind: findContainerKind(type) ?? 'resource', message: name, resources, problems };
  }
  return { kind: 'other', resources: [], problems: [] };
}
