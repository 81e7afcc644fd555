import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeBody } from '@/server/codec/decode-body';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readResources } from '@/server/codec/dump-parser/read-resources';
import { redactText } from '@/server/codec/secrets/redact-text';
import { corpusDir, hasCorpus } from '@/tests/support/builders/codec-corpus';

/** Every text of a resource, as a page shows it; texts of bytes too. */
function* readCorpusTexts({
  typeUrl,
  bytes,
}: {
  readonly typeUrl: string;
  readonly bytes: Uint8Array;
}): Generator<string> {
  yield* textsOf(decodeBody(typeUrl, bytes).json);
}

function* textsOf(json: unknown): Generator<string> {
  if (typeof json === 'string') {
    yield json;
    if (/^[A-Za-z0-9+/]{16,}={0,2}$/.test(json)) yield Buffer.from(json, 'base64').toString('latin1');
  } else if (typeof json === 'object' && json !== null) {
    for (const value of Object.values(json)) yield* textsOf(value);
  }
}

/** The masked texts with the text before each, which shows the rule that matched. */
function maskedIn(text: string): string[] {
  const found: string[] = [];
  redactText(text, (secret) => {
    const at = text.indexOf(secret);
    found.push(`${text.slice(Math.max(0, at - 30), at)}<<${secret.slice(0, 24)}>>`.replace(/\s+/g, ' '));
    return '[redacted]';
  });
  return found;
}

describe.skipIf(!hasCorpus)('the texts that rules by value mask in files of real projects', () => {
  /**
   * Tests of real projects contain tokens, passwords and symmetric keys, which are masked rightly. The list has all
   * texts that are masked besides, or because of, them. Review each new line.
   */
  it('are listed here', async () => {
    const masked = new Set<string>();
    // Most texts occur many times.
    const byText = new Map<string, readonly string[]>();
    let resources = 0;
    for (const name of readdirSync(corpusDir, { recursive: true, encoding: 'utf8' }).sort()) {
      const file = path.join(corpusDir, name);
      if (!statSync(file).isFile() || !/\.(?:json|yaml|golden|bin)$/.test(name)) continue;
      for (const resource of readResources(planReport(readFileSync(file))).resources) {
        resources += 1;
        for (const text of readCorpusTexts(resource)) {
          const found = byText.get(text) ?? maskedIn(text);
          byText.set(text, found);
          for (const each of found) masked.add(`${name.split('/').slice(0, 2).join('/')}: ${each}`);
        }
      }
    }
    expect(resources).toBeGreaterThan(400);
    await expect(`${[...masked].join('\n')}\n`).toMatchFileSnapshot('secrets-corpus.txt');
  });
});
