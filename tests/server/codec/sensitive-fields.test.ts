import { readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { allMessageTypes, messageType } from '@/server/codec/root';
import { isSecretName } from '@/server/codec/secret-name';
import {
  canHoldSecrets,
  isSensitiveField,
  mayNameSecrets,
  typeOfField,
} from '@/server/codec/sensitive-types';
import { projectRoot } from '@/server/project-root';

const codec = createCodec({ redactionKey: Buffer.from('tests') });
const canary = 'CANARY-5d1f';
const sensitive = [...allMessageTypes()].flatMap((type) =>
  type.fieldsArray.filter(isSensitiveField).map((field) => [type.fullName.slice(1), field] as const),
);

/** A message with the canary in every text, a few levels deep, and one field of each oneof. */
function fill(type: protobuf.Type, depth = 0): Record<string, unknown> {
  if (type.fullName === '.google.protobuf.Any') {
    const inner = messageType('google.protobuf.StringValue').encode({ value: canary }).finish();
    return { type_url: 'type.googleapis.com/google.protobuf.StringValue', value: inner };
  }
  const message: Record<string, unknown> = {};
  const oneofs = new Set<string>();
  for (const field of type.fieldsArray) {
    const oneof = field.partOf?.name;
    if (oneof !== undefined && oneofs.has(oneof)) continue;
    const value = fillField(field, depth);
    if (value === undefined) continue;
    if (oneof !== undefined) oneofs.add(oneof);
    message[field.name] = value;
  }
  return message;
}

function fillField(field: protobuf.Field, depth: number): unknown {
  const inner = typeOfField(field);
  const value =
    inner !== undefined
      ? depth < 4
        ? fill(inner, depth + 1)
        : undefined
      : field.type === 'string'
        ? canary
        : field.type === 'bytes'
          ? Buffer.from(canary)
          : undefined;
  if (value === undefined) return undefined;
  if (field instanceof protobuf.MapField) return field.keyType === 'string' ? { entry: value } : undefined;
  return field.repeated ? [value, value] : value;
}

describe('no secret of a sensitive field is in a Body', () => {
  it('each field that an earlier version redacted is sensitive', () => {
    const file = path.join(projectRoot, 'tests/fixtures/protos/sensitive-fields.txt');
    const names = sensitive.map(([type, { name }]) => `${type}.${name}`);
    expect(names).toEqual(expect.arrayContaining(readFileSync(file, 'utf8').trimEnd().split('\n')));
  });

  it.each(sensitive.map(([type, field]) => [type, field.name, field] as const))(
    '%s.%s',
    (type, name, field) => {
      const bytes = messageType(type)
        .encode({ [name]: fillField(field, 0) })
        .finish();
      expect(Buffer.from(bytes).includes(canary)).toBe(true);
      const { body, redacted } = codec.sanitizeBody(type, bytes);
      expect(Buffer.from(body.bytes).includes(canary)).toBe(false);
      expect(redacted[0]).toContain(name);

      // The field is also redacted below an Any, and truncated at every length.
      const any = messageType('google.protobuf.Any')
        .encode({ type_url: `type.googleapis.com/${type}`, value: bytes })
        .finish();
      for (let length = any.length; length > 0; length -= 7) {
        const cut = codec.sanitizeBody('google.protobuf.Any', any.subarray(0, length));
        expect(Buffer.from(cut.body.bytes).includes(canary)).toBe(false);
      }
    },
  );
});

describe('mayNameSecrets() is true for everything that redaction would find', () => {
  it('by the type of an Any', () => {
    for (const type of allMessageTypes()) {
      if (!canHoldSecrets(type)) continue;
      expect(mayNameSecrets(Buffer.from(type.fullName.slice(1))), type.fullName).toBe(true);
    }
  });

  it.each([
    ...[
      'password',
      'dbPasswords',
      'PASSWD',
      'pwd',
      'passphrase',
      'passcode',
      'client_secret',
      'token',
      'credentials',
    ],
    ...[
      'Proxy-Authorization',
      'cookie',
      'apikey',
      'pkcs12',
      'private_key',
      'x-api-key',
      'secretKeys',
      'privatekey',
    ],
  ])('by the name %s', (name) => {
    expect(isSecretName(name)).toBe(true);
    expect(mayNameSecrets(Buffer.from(name))).toBe(true);
  });

  it('and false for endpoints with the usual metadata', () => {
    expect(mayNameSecrets(Buffer.from('\n\u0004envoy.lb\u0012\u0006canary 10.0.0.1 istio'))).toBe(false);
  });
});
