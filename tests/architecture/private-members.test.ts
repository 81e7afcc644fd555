import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '@/server/project-root';
import { listSources } from '../support/project-imports';

/** A constructor has no other way to be private. */
const privateMember = /^\s*(?:(?:static|override|abstract|async)\s+)*private\s+(?!constructor\b)/m;

it('private members have the style of the language: #name', () => {
  const files = ['app', 'lib', 'server', 'tests'].flatMap(listSources);
  const found = files.filter((file) =>
    privateMember.test(readFileSync(path.join(projectRoot, file), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(1_000);
  expect(found).toEqual([]);
});

it.each([
  '  private x = 1;',
  '    private readonly x: X,',
  '  static private x = 1;',
  '  private async run() {',
])('finds %j', (text) => {
  expect(privateMember.test(`class A {\n${text}\n`)).toBe(true);
});

it('allows a private constructor', () => {
  expect(privateMember.test('class A {\n  private constructor() {}\n')).toBe(false);
});
