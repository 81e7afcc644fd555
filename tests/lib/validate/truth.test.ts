import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Profile } from '@/lib/validate/profile';
import { rules } from '@/lib/validate/rules';
import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { decodeBody } from '@/server/codec/decode-body';
import { projectRoot } from '@/server/project-root';
import { readCapture } from '../../support/codec-corpus';

interface NackCase {
  readonly type: string;
  readonly label: string;
  readonly resources: readonly { readonly typeUrl: string; readonly json: unknown }[];
  /** The answer of the real client: ACK, NACK, or "no answer" if it crashed. */
  readonly recorded: Readonly<Record<'core' | 'go' | 'node', string>>;
}

interface CaseFile {
  readonly type: string;
  readonly label: string;
  readonly resources: readonly { readonly type_url: string; readonly value_base64: string }[];
}

const measured = ['core', 'go', 'node'] as const satisfies readonly Profile[];

/** Resources with faults, and the answers of real clients to them. */
function readNackCases(): NackCase[] {
  const cases: CaseFile[] = readJson('cases.json');
  const answers = {
    core: readJson<{ outcome: string }[]>('nack-py151.json'),
    go: readJson<{ outcome: string }[]>('nack-go164.json'),
    node: readJson<{ outcome: string }[]>('nack-js.json'),
  };
  return cases.map(({ type, label, resources }, index) => ({
    type,
    label,
    resources: resources.map(({ type_url: typeUrl, value_base64: base64 }) => ({
      typeUrl,
      json: decodeBody(typeUrl, Buffer.from(base64, 'base64')).json,
    })),
    recorded: {
      core: answers.core[index]?.outcome ?? 'missing',
      go: answers.go[index]?.outcome ?? 'missing',
      node: answers.node[index]?.outcome ?? 'missing',
    },
  }));
}

function readJson<T>(file: string): T {
  return JSON.parse(readCapture('nack', file).toString('utf8')) as T;
}

/** The reason of each difference between our verdict and the recorded one. */
const exceptions = new Map<string, string>([
  ['RDS header: bad regex / node', 'grpc-js-xds 1.14 crashes: it compiles the regex long after it said ACK'],
]);

/** The recorded clients had a bootstrap without certificate providers. */
const context = { certificateProviders: new Set<string>() };

const covered = new Set(rules.flatMap(({ types }) => types));
const cases = readNackCases().filter(({ resources }) =>
  resources.every(({ typeUrl }) => covered.has(typeUrl)),
);

describe('verdictOf() beside the verdicts of real clients', () => {
  it.each(cases.map((one) => ({ name: `${one.type} ${one.label}`, one })))('$name', ({ name, one }) => {
    const findings = one.resources.flatMap(({ typeUrl, json }) => validateResource(typeUrl, json, context));
    for (const profile of measured) {
      if (exceptions.has(`${name} / ${profile}`)) continue;
      const why = `${profile}: ${findings.map(({ ruleId, message }) => `${ruleId} ${message}`).join('; ')}`;
      expect(verdictOf(findings, profile), why).toBe(one.recorded[profile]);
    }
  });

  it('the table in lib/validate/truth-table.md is current', async () => {
    await expect(formatTable()).toMatchFileSnapshot(path.join(projectRoot, 'lib/validate/truth-table.md'));
  });
});

function formatTable(): string {
  const rows = cases.map((one) => {
    const findings = one.resources.flatMap(({ typeUrl, json }) => validateResource(typeUrl, json, context));
    const cells = measured.map((profile) => {
      const ours = verdictOf(findings, profile);
      return ours === one.recorded[profile] ? ours : `${ours} (recorded: ${one.recorded[profile]})`;
    });
    const ids = [...new Set(findings.map(({ ruleId }) => ruleId))].join(' ');
    return `| ${[`${one.type} ${one.label}`, ids, ...cells].join(' | ')} |`;
  });
  const equal = measured.map((profile) => {
    const count = rows.length - [...exceptions.keys()].filter((key) => key.endsWith(`/ ${profile}`)).length;
    return `${profile} ${count} of ${rows.length}`;
  });
  return [
    '# Our verdicts beside those of real clients',
    '',
    'Made by tests/lib/validate/truth.test.ts (`npx vitest run -u` on it writes it anew).',
    `Equal: ${equal.join(', ')}.`,
    '',
    '| Case | Rules | core 1.51 | go 1.64 | node 1.14 |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...[...exceptions].map(([key, reason]) => `- ${key}: ${reason}.`),
    '',
  ].join('\n');
}
