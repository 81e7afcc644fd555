import { describe, expect, it } from 'vitest';
import { previousNames } from '@/lib/diff/field-facts';
import { knownDefaults } from '@/lib/diff/known-defaults';
import { listRules } from '@/lib/diff/list-rules';
import { findMessageShape } from '@/server/codec/message-shapes';

const split = (path: string) => {
  const dot = path.lastIndexOf('.');
  return { message: path.slice(0, dot), field: path.slice(dot + 1) };
};

function hasPath(message: string | undefined, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined || (name === '@type' && message === 'google.protobuf.Any')) return true;
  const field = message === undefined ? undefined : findMessageShape(message)?.fields.get(name);
  return field !== undefined && hasPath(field.message, rest);
}

describe('the tables of the diff', () => {
  it('name repeated fields that exist, with keys that their elements have, and a reason each', () => {
    const wrong = Object.entries(listRules).flatMap(([path, { keys, like = [], reason }]) => {
      const { message, field } = split(path);
      const found = findMessageShape(message)?.fields.get(field);
      if (found?.shape !== 'list') return [`${path}: no repeated field`];
      const paths = [...keys, ...like].flat().filter((key) => !hasPath(found.message, key.split('.')));
      return [...paths.map((key) => `${path}: no field ${key}`), ...(reason === '' ? [`${path}: why?`] : [])];
    });
    expect(wrong).toEqual([]);
  });

  it('name fields that exist, and hold names of extensions or have them as keys', () => {
    const wrong = Object.keys(previousNames).filter((path) => {
      const { message, field } = split(path);
      const shape = findMessageShape(message)?.fields.get(field)?.shape;
      return shape !== 'single' && shape !== 'map';
    });
    expect(wrong).toEqual([]);
  });

  it('name single fields whose absence proto3 reports from zero', () => {
    const wrong = Object.keys(knownDefaults).filter((path) => {
      const { message, field } = split(path);
      const found = findMessageShape(message)?.fields.get(field);
      return found?.shape !== 'single' || found.zero !== undefined;
    });
    expect(wrong).toEqual([]);
  });
});
