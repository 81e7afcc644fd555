import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '@/server/project-root';

const folders = ['app', 'lib', 'server', 'tests', 'protos'];
/** Complete sentences for which the rule finds no verb: "file: comment". At most 20. */
const exceptions: readonly string[] = [];

/** A comment that begins with one of these words is mostly a fragment, as in "Of the newest answer." */
const beginning = /^(?:Of|Whether|Without|Which|Those) /;

/** The finite verbs that the rule knows. */
const verb = [
  'is|are|was|were|has|have|had|does|do|did|can|could|must|may|might|will|would',
  'applies|begins|counts|decides|ends|fails|gets|keeps|means|remains|reports|returns|shows|starts|states|stays',
].join('|');
/** Before the verb, these words begin a subordinate clause, or another part of the fragment. */
const noSubject =
  'that|which|who|whose|whom|what|where|when|if|because|so|as|by|and|or|but|not|nor|in|with|without';

/**
 * Such a comment is allowed if a main clause follows a comma of its first sentence: up to eight words without a
 * conjunction, then a finite verb, as in "Without a nonce, there is no NACK."
 */
const mainClause = new RegExp(`, (?:(?!(?:${noSubject})\\b)[^\\s,]+ ){1,8}(?:${verb})\\b`);

/** The first sentence ends with a full stop, colon or semicolon before a blank, or with the comment. */
function isFragment(comment: string): boolean {
  const [sentence = ''] = comment.split(/[.:;](?:\s|$)/);
  return beginning.test(comment) && !mainClause.test(sentence);
}

/**
 * A block comment, line comments in consecutive lines, or a line comment behind code. A blank precedes it, as opposed to
 * "src/*" or "https://".
 */
const comment = /(?<![^\s{(])\/\*[\s\S]*?\*\/|(?<=^[ \t]*)\/\/ .*(?:\n[ \t]*\/\/ .*)*|(?<=\s)\/\/ .*/gm;

/** Returns the comments of a source as single lines without their delimiters. */
function findComments(source: string): string[] {
  return [...source.matchAll(comment)].map(([text]) =>
    text
      .replace(/^\/\*+|\*\/$/g, '')
      .replace(/^[ \t]*(?:\/\/|\*(?!\*))/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

test.each([
  'Of the newest answer.',
  'Of a socket, if it is reported.',
  'Of the clusters in the newest dump that warm, by their names in statistics: those that Envoy has not started.',
  'Whether the row has a body, and is not stale.',
  'Whether the answers come from a client or a control plane; the statuses, if any, are read.',
  'Without the token.',
  'Without filters of the build, and without an identity that is checked.',
  'Which resources a client may run, without a trace of it.',
  'Those that Envoy has started.',
])('is a fragment: %s', (text) => {
  expect(isFragment(text)).toBe(true);
});

test.each([
  'Without a nonce, there is no NACK.',
  'Without `from` and `to`, all times are read.',
  'Without a type URL, a body of any type is returned.',
  'Of two equal names, the last one counts.',
  'The clusters that Envoy has not started.',
  'Offset of the first byte.',
])('is allowed: %s', (text) => {
  expect(isFragment(text)).toBe(false);
});

test('comments of each form are found', () => {
  const source = [
    '/** One. */',
    "const a = 'https://a/*'; // Two.",
    '  // Three',
    '  // goes on.',
    '  /**',
    '   * Four',
    '   * goes on.',
    '   */',
    '{/* Five. */}',
  ].join('\n');
  expect(findComments(source)).toEqual(['One.', 'Two.', 'Three goes on.', 'Four goes on.', 'Five.']);
});

test('comments do not begin as fragments of sentences', () => {
  const files = execFileSync('git', ['ls-files', ...folders], { cwd: projectRoot, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(?:tsx?|mjs)$/.test(file) && !file.includes('/generated/'));
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((file) =>
    findComments(readFileSync(path.join(projectRoot, file), 'utf8'))
      .filter(isFragment)
      .map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual(exceptions);
  expect(exceptions.length).toBeLessThanOrEqual(20);
});
