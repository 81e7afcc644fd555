import '../../support/seeded-properties';
import fc from 'fast-check';
import type protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { checkedMessages } from '@/lib/validate/envoy/messages/checked-messages';
import { messageNameOf } from '@/lib/xds/resource-type';
import { CodecError } from '@/server/codec/codec-error';
import { encodeBody } from '@/server/codec/encode-body';
import { allMessageTypes, findMessageType } from '@/server/codec/root';
import { readEnvoyAnswers, typeUrlOf, validateForEnvoy } from '../../support/envoy-answers';
import { runs } from '../../support/runs';

type Json = Readonly<Record<string, unknown>>;

/** A place for an extension: the keys that lead to it, and whether it holds an Any or a TypedExtensionConfig. */
interface Place {
  readonly path: readonly (string | number)[];
  readonly isConfig: boolean;
}

const any = '.google.protobuf.Any';
const extensionConfig = '.envoy.config.core.v3.TypedExtensionConfig';

/** Every place of a message where an extension is, or can be set, in the messages within extensions too. */
function* placesOf(type: protobuf.Type | undefined, value: unknown, path: Place['path']): Generator<Place> {
  if (type === undefined || typeof value !== 'object' || value === null) return;
  for (const field of type.fieldsArray) {
    const resolved = field.resolve().resolvedType;
    if (resolved === null || !('fieldsArray' in resolved)) continue;
    const name = jsonNameOf(field.name);
    const held = Reflect.get(value, name) as unknown;
    const isExtension = resolved.fullName === any || resolved.fullName === extensionConfig;
    const isConfig = resolved.fullName === extensionConfig;
    const at = [...path, name];
    const items: [Place['path'], unknown][] =
      field.map || field.repeated
        ? Object.entries(held ?? {}).map(([key, each]) => [[...at, field.map ? key : Number(key)], each])
        : [[at, held]];
    // A message of a oneof has only one of its members.
    const canBeSet = field.partOf === null || held !== undefined;
    if (isExtension && field.repeated && held === undefined && canBeSet) yield { path: [...at, 0], isConfig };
    if (isExtension && field.map && held === undefined) yield { path: [...at, 'unknown'], isConfig };
    for (const [place, item] of items) {
      if (isExtension) {
        if (canBeSet) yield { path: place, isConfig };
        const inner = isConfig ? Reflect.get(Object(item), 'typedConfig') : item;
        const typeName = String(Reflect.get(Object(inner), '@type') ?? '');
        const innerPath = isConfig ? [...place, 'typedConfig'] : place;
        if (typeName !== '') yield* placesOf(findMessageType(typeName), inner, innerPath);
      } else yield* placesOf(resolved, item, place);
    }
  }
}

function jsonNameOf(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A copy of `value` with another value at the path. */
function withValue(value: unknown, [key, ...rest]: Place['path'], set: unknown): unknown {
  if (key === undefined) return set;
  if (typeof key === 'number') {
    const list = Array.isArray(value) ? [...value] : [];
    list[key] = withValue(list[key], rest, set);
    return list;
  }
  const json = Object(value) as Json;
  return { ...json, [key]: withValue(json[key], rest, set) };
}

/** Extensions in the protos of which no rule knows a field, one of another package, and one that wraps another type. */
const unknownTypes = [...allMessageTypes()]
  .map(({ fullName }) => fullName.slice(1))
  .filter((name) => /^envoy\.extensions\.\w+\..*\.v3\.\w+$/.test(name) && !checkedMessages.has(name));
const unknown = fc.oneof(
  fc.constantFrom(...unknownTypes).map((name) => ({ '@type': `type.googleapis.com/${name}` })),
  fc.constant({ '@type': 'type.googleapis.com/google.protobuf.StringValue', value: 'x' }),
  fc.constantFrom(...unknownTypes).map((name) => ({
    '@type': 'type.googleapis.com/xds.type.v3.TypedStruct',
    typeUrl: `type.googleapis.com/${name}`,
    value: {},
  })),
);

describe('the verdict ACK', () => {
  const accepted = readEnvoyAnswers().filter(({ answer }) => answer === 'ACK');
  const places = accepted.flatMap(({ service, resource }) => {
    const typeUrl = typeUrlOf(service);
    return [...placesOf(findMessageType(messageNameOf(typeUrl)), resource, [])].map((place) => ({
      ...{ typeUrl, resource, place },
      text: place.path.filter((key) => typeof key === 'string').join('.'),
    }));
  });
  const byText = new Map<string, (typeof places)[number][]>();
  for (const each of places) {
    const key = `${each.typeUrl} ${each.text}`;
    byText.set(key, [...(byText.get(key) ?? []), each]);
  }

  it('is never given to a resource with an extension that no rule covers', () => {
    expect(byText.size).toBeGreaterThan(100);
    expect(unknownTypes.length).toBeGreaterThan(400);
    fc.assert(
      fc.property(fc.constantFrom(...byText.keys()), fc.nat(), unknown, (key, index, extension) => {
        const same = byText.get(key) ?? [];
        const { typeUrl, resource, place } = same[index % same.length] ?? places[0] ?? expect.unreachable();
        const set = place.isConfig ? { name: 'unknown', typedConfig: extension } : extension;
        let bytes: Uint8Array;
        try {
          bytes = encodeBody(typeUrl, withValue(resource, place.path, set));
        } catch (error) {
          if (error instanceof CodecError) return;
          throw error;
        }
        expect(validateForEnvoy(typeUrl, bytes).verdict).not.toBe('ACK');
      }),
      { numRuns: runs(1_000) },
    );
  });
});
