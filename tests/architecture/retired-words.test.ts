import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * The words that GLOSSARY.md retires and that have no other meaning in this project, as words and as parts of
 * identifiers. Words with other meanings ("span", "take", "word") are left to review.
 */
const retired = ['told', 'tells', 'mended', 'mending', 'manners?', 'mischief', 'sightings?', 'thaw(?:ed|s)?'];
const retiredSuffixes = ['Teller', 'Keeper', 'Maker'];
/** `tell` is retired as an identifier and as a part of one; the verb has other meanings ("cannot tell unset from 0"). */
const retiredIdentifiers = [
  '(?<![A-Za-z])tell(?=[A-Z(]|: [(]| = )',
  '(?<=[.#])tell\\b',
  '(?<=[a-z])Tell(?![a-z])',
];
const retiredPhrases = ['whose word', 'own words', 'let go of'];
/** Texts of peers and names of platforms. */
const quotations = [
  'connection refused',
  'ECONNREFUSED',
  'CONNECTION_REFUSED',
  'REFUSED_STREAM',
  'refused-stream',
];

const capitalized = (word: string): string => word[0]?.toUpperCase() + word.slice(1);
const asWord = `(?<![A-Za-z])(?:${retired.flatMap((word) => [word, capitalized(word)]).join('|')}|[Rr]efus[a-z]*)(?![a-z])`;
const asPart = `(?<=[a-z])(?:${retired.map(capitalized).join('|')}|Refus[a-z]*)(?![a-z])`;
const pattern = new RegExp(
  `${asWord}|${asPart}|(?:${retiredSuffixes.join('|')})\\b|\\b(?:keeper|maker|teller)\\b|${[...retiredIdentifiers, ...retiredPhrases].join('|')}`,
  'g',
);
const quoted = new RegExp(quotations.join('|'), 'g');
const self = 'tests/architecture/retired-words.test.ts';
/** The glossary names the retired words; fixtures are recordings of peers. */
const exempt = /^(?:GLOSSARY\.md|tests\/fixtures\/|package-lock\.json)/;

function findRetired(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.replace(quoted, '').matchAll(pattern)].map(([word]) => `${index + 1}: ${word}`),
    );
}

test.each([
  ['the client told', ['1: told']],
  ['isToldAgain', ['1: Told']],
  ['toldBy, SourceTeller', ['1: told', '1: Teller']],
  ['tellSoon tell(x) this.#tell stepsToTell', ['1: tell', '1: tell', '1: tell', '1: Tell']],
  ['nobody can tell it', []],
  ['a refusal', ['1: refusal']],
  ['connection refused', []],
  ['retold stolen', []],
])('%s', (text, found) => {
  expect(findRetired(text)).toEqual(found);
});

test('no file uses a word that the glossary retires', () => {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(?:ts|tsx|mjs|md|css|py|sh)$/.test(file) && !exempt.test(file) && file !== self);
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((file) => [
    ...findRetired(file).map((word) => `${file} (its name): ${word}`),
    ...findRetired(readFileSync(file, 'utf8')).map((word) => `${file}:${word}`),
  ]);
  expect(found).toEqual([]);
});
