import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const folder = path.join(import.meta.dirname, '../../server/decisions');

test('The page of decisions lists each decision once, by a link to its page', () => {
  const page = readFileSync(path.join(folder, 'README.md'), 'utf8');
  const linked = [...page.matchAll(/\]\((\d{4}-[^)]+\.md)\)/g)].map(([, file]) => file);
  const decisions = readdirSync(folder).filter((file) => file !== 'README.md');
  expect(linked.toSorted()).toEqual(decisions.toSorted());
});
