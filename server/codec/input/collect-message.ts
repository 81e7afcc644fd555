import type protobuf from 'protobufjs';
import { messageOf } from '@/lib/format/message-of';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { planOf } from '../json/type-plan';
import { KeepingReader } from '../keeping-reader';
import { peekResourceName } from '../resource-name';
import { findMessageType, unknownTypeReason } from '../root';
import { findContainerType, isResourceType } from './containers';
import type { InputProblem, InputResource } from './input';

const wrapperName = '.envoy.service.discovery.v3.Resource';

type Decoded = Readonly<Record<string, unknown>>;

/** Collects the resources of a decoded container. Their bytes are kept unchanged. */
export class MessageCollector {
  readonly resources: InputResource[] = [];
  readonly problems: InputProblem[] = [];
  /** Version of the wrapper that is being read, empty outside of one. */
  #version = '';

  /** Returns false if the bytes do not decode as this type. */
  bytes(type: protobuf.Type, bytes: Uint8Array, place: string, depth = 0): boolean {
    try {
      const message = type.decode(new KeepingReader(bytes)) as unknown as Decoded;
      if (type.fullName === '.google.protobuf.Any') this.#one(type, message, place, depth);
      else this.message(type, message, place, depth);
      return true;
    } catch (error) {
      const reason = messageOf(error);
      this.problems.push({ place, reason: `${bytes.length} bytes that are no ${type.name}: ${reason}` });
      return false;
    }
  }

  message(type: protobuf.Type, message: Decoded, place: string, depth = 0): void {
    if (depth > 50) return;
    const versionBefore = this.#version;
    if (type.fullName === wrapperName) {
      this.#version = typeof message.version === 'string' ? message.version : '';
    }
    for (const [name, value] of Object.entries(message)) {
      const field = planOf(type).byName.get(name);
      if (field?.type === undefined || value === null) continue;
      const at = place === '' ? name : `${place}.${name}`;
      if (field.shape === 'list') {
        for (const [index, item] of (value as readonly Decoded[]).entries()) {
          this.#one(field.type, item, `${at}[${index}]`, depth);
        }
      } else if (field.shape === 'single') this.#one(field.type, value as Decoded, at, depth);
    }
    this.#version = versionBefore;
  }

  #one(type: protobuf.Type, message: Decoded, place: string, depth: number): void {
    if (type.fullName !== '.google.protobuf.Any') {
      if (isResourceType(type)) this.add(type.fullName.slice(1), type.encode(message).finish(), place);
      else this.message(type, message, place, depth + 1);
      return;
    }
    const { type_url: url, value } = message as { type_url?: string; value?: Uint8Array };
    const bytes = value?.length ? value : new Uint8Array();
    if (!url && bytes.length === 0) return;
    const container = findContainerType(url ?? '');
    if (container !== undefined) this.bytes(container, bytes, place, depth + 1);
    else this.add(url ?? '', bytes, place);
  }

  /** A resource of an unknown type, or one that does not decode, is kept and reported as a problem. */
  add(typeUrl: string, bytes: Uint8Array, place: string): void {
    const url = normaliseTypeUrl(typeUrl);
    const name = peekResourceName(url, bytes) ?? '';
    const version = this.#version;
    this.resources.push({ typeUrl: url, name, bytes, place, ...(version !== '' && { version }) });
    const type = findMessageType(url);
    if (type === undefined) {
      this.problems.push({ place, reason: unknownTypeReason(url) });
      return;
    }
    try {
      type.decode(bytes);
    } catch (error) {
      const reason = messageOf(error);
      this.problems.push({ place, reason: `not a valid ${type.name}: ${reason}` });
    }
  }
}
