import { describe, expect, it } from 'vitest';
import { readStruct, readText, readValue, readValues } from '@/server/codec/json/json-special';
import { messageType } from '@/server/codec/root';

const never = () => {
  throw new Error('the JSON has no Struct, Value or ListValue that is written as its fields');
};

describe('the well-known types with a JSON of their own', () => {
  it.each([
    ['Duration', '1.5s', { seconds: 1, nanos: 500_000_000 }],
    ['Timestamp', '1970-01-01T00:00:02Z', { seconds: 2 }],
    ['FieldMask', 'a,bC.d', { paths: ['a', 'b_c.d'] }],
  ])('%s is read from a text', (name, json, fields) => {
    const read = readText(messageType(`google.protobuf.${name}`), json);
    expect(JSON.parse(JSON.stringify(read))).toMatchObject(JSON.parse(JSON.stringify(fields)));
  });

  it.each([
    ['Duration', '1.5', 'expected a duration such as "1.5s", got "1.5"'],
    ['Timestamp', 'yesterday', 'expected a time such as "2024-01-31T12:00:00Z", got text of 9 characters'],
  ])('another text for a %s is rejected with the expected form', (name, json, message) => {
    expect(() => readText(messageType(`google.protobuf.${name}`), json)).toThrow(message);
  });

  it('a Struct, a Value and a ListValue take any JSON of their kind', () => {
    expect(readStruct({ a: [1, null], b: { c: true } }, never)).toEqual({
      fields: {
        a: { listValue: { values: [{ numberValue: 1 }, { nullValue: 0 }] } },
        b: { structValue: { fields: { c: { boolValue: true } } } },
      },
    });
    expect(readValue(2n ** 60n, never)).toEqual({ numberValue: 2 ** 60 });
    expect(() => readStruct([], never)).toThrow('expected an object, got');
    expect(() => readValues({}, never)).toThrow('expected a list, got');
  });

  it('a member named __proto__ is a member like others', () => {
    const read = readStruct(JSON.parse('{"__proto__": {"a": 1}}'), never);
    expect(Object.keys(read.fields as object)).toEqual(['__proto__']);
  });

  it('objects and lists within each other are read down to the limit of a message', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    expect(() => readValue(nested(50), never)).not.toThrow();
    expect(() => readValue(nested(51), never)).toThrow('100');
  });
});
