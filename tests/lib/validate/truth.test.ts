import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '@/lib/validate/reactions';
import { rules } from '@/lib/validate/rules';
import { type Finding, validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { clients, nameOf, type Profile, profileOfVersion, profiles } from '@/lib/xds/profile';
import { LDS } from '@/lib/xds/resource-type';
import { readEnforcedConstraints } from '@/server/codec/constraints';
import { decodeBody } from '@/server/codec/decode-body';
import { projectRoot } from '@/server/project-root';
import { readCapture } from '../../support/builders/codec-corpus';

interface CaseFile {
  readonly type: string;
  readonly label: string;
  readonly resources: readonly { readonly type_url: string; readonly value_base64: string }[];
}

/** The answers of real clients by their version, as in "go 1.85.0": ACK, NACK or "no answer". */
type Answers = Readonly<Record<string, string>>;

interface NackCase {
  readonly name: string;
  readonly resources: readonly { readonly typeUrl: string; readonly json: unknown }[];
  readonly answers: Answers;
}

function readJson<T>(file: string): T {
  return JSON.parse(readCapture('nack', file).toString('utf8')) as T;
}

/** Resources with faults, and the answers of real clients to them. */
function readNackCases(): NackCase[] {
  const answers: Readonly<Record<string, Answers>> = readJson('answers.json');
  return readJson<CaseFile[]>('cases.json').map(({ type, label, resources }) => ({
    name: `${type} ${label}`,
    resources: resources.map(({ type_url: typeUrl, value_base64: base64 }) => ({
      typeUrl,
      json: decodeBody(typeUrl, Buffer.from(base64, 'base64')).json,
    })),
    answers: answers[`${type} ${label}`] ?? {},
  }));
}

/** The reasons why an answer cannot follow from the resources of one response, by case and client. */
const exceptions = new Map<string, string>([
  [
    'LDS rds with path config source / envoy',
    'the file did not exist; the response of POST validate states that the verdict depends on it',
  ],
  [
    'CDS cluster_type unknown / envoy',
    'Envoy answers CDS only when no cluster warms, and another one was still warming',
  ],
]);

/** grpc-go 1.73 to 1.79 answers no EDS response after it has rejected one: a state of the stream. */
const stuckStream = 'go 1.73.0';

/** The recorded clients had a bootstrap without certificate providers. */
const context = {
  certificateProviders: new Set<string>(),
  constraints: readEnforcedConstraints(),
  isWithoutClient: true,
};

/** The connection manager of an API listener behind a socket address. */
function behindSocket(json: unknown): unknown {
  const { name, apiListener } = json as { name: string; apiListener?: { apiListener: unknown } };
  if (apiListener === undefined) return json;
  const filters = [{ name: 'hcm', typedConfig: apiListener.apiListener }];
  const socketAddress = { address: '0.0.0.0', portValue: 80 };
  return { name, address: { socketAddress }, filterChains: [{ filters }] };
}

function nameOfResource(json: unknown): unknown {
  return (json as { readonly name?: string }).name;
}

/** The findings of each case, which all clients share: as recorded, and behind a socket address. */
const known = new Map<string, readonly Finding[]>();

function validate({ name, resources }: NackCase, isSocket: boolean): readonly Finding[] {
  const key = `${name} ${isSocket}`;
  const found =
    known.get(key) ??
    resources.flatMap(({ typeUrl, json }, index) =>
      validateResource(typeUrl, isSocket && typeUrl === LDS.typeUrl ? behindSocket(json) : json, {
        ...context,
        isRepeated: resources
          .slice(0, index)
          .some((each) => nameOfResource(each.json) === nameOfResource(json)),
      }),
    );
  known.set(key, found);
  return found;
}

/** Returns the answer as it was recorded on the wire: the process of grpc-js-xds ended before its ACK was read. */
function answerOf(verdict: Verdict): string {
  if (verdict === 'NO_ANSWER' || verdict === 'CRASH') return 'no answer';
  return verdict === 'NACK' ? 'NACK' : 'ACK';
}

interface Peer {
  readonly version: string;
  readonly client: string;
  readonly profile: Profile;
}

function peerOf(version: string): Peer {
  const [name = '', release = ''] = version.split(' ');
  const client = clients.find((each) => each === name);
  if (client === undefined) throw new Error(`no client is named ${name}`);
  const { profile, isMeasured } = profileOfVersion(client, Number(release.split('.')[1]));
  expect(isMeasured, version).toBe(true);
  return { version, client, profile };
}

function isStuck({ answers }: NackCase, version: string): boolean {
  return version === stuckStream && answers[version] === 'no answer';
}

const covered = new Set(rules.flatMap(({ types }) => types));
const cases = readNackCases().filter(({ resources }) =>
  resources.every(({ typeUrl }) => covered.has(typeUrl)),
);
const peers = Object.keys(cases[0]?.answers ?? {}).map(peerOf);

describe('verdictOf() beside the verdicts of real clients', () => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', (name, one) => {
    const wrong: string[] = [];
    for (const { version, client, profile } of peers) {
      const recorded = one.answers[version];
      if (recorded === undefined || exceptions.has(`${name} / ${client}`)) continue;
      if (isStuck(one, version)) continue;
      const findings = validate(one, version.endsWith('socket'));
      const verdict = verdictOf(findings, profile);
      if (answerOf(verdict) === recorded) continue;
      const why = findings.map(
        ({ ruleId, message, reactions }) => `${ruleId} ${reactions[profile]} ${message}`,
      );
      wrong.push(`${version}: ${verdict}, recorded ${recorded}: ${why.join('; ')}`);
    }
    expect(wrong).toEqual([]);
  });

  it('the table in lib/validate/truth-table.md is current', async () => {
    await expect(formatTable()).toMatchFileSnapshot(path.join(projectRoot, 'lib/validate/truth-table.md'));
  });
});

function formatTable(): string {
  const rows = cases.map((one) => {
    const findings = validate(one, false);
    return `| ${[one.name, ...profiles.map((profile) => verdictOf(findings, profile))].join(' | ')} |`;
  });
  const equal = peers.map(({ version, client, profile }) => {
    const recorded = cases.filter(({ answers }) => answers[version] !== undefined);
    const same = recorded.filter((one) => {
      const isException = exceptions.has(`${one.name} / ${client}`) || isStuck(one, version);
      const findings = validate(one, version.endsWith('socket'));
      return !isException && answerOf(verdictOf(findings, profile)) === one.answers[version];
    });
    return `- ${version}: ${same.length} of ${recorded.length}`;
  });
  return [
    '# Our verdicts beside those of real clients',
    '',
    'Made by tests/lib/validate/truth.test.ts (`npx vitest run FILE -u` writes it anew). Recorded answers that our verdicts',
    'equal, by version; `socket`: the connection manager of the API listener, behind a socket address.',
    '',
    ...equal,
    '',
    'Not compared:',
    '',
    ...[...exceptions].map(([key, reason]) => `- ${key}: ${reason}.`),
    `- EDS / ${stuckStream}: it answers no EDS response after it has rejected one.`,
    '',
    `| Case | ${profiles.map(nameOf).join(' | ')} |`,
    `|${' --- |'.repeat(profiles.length + 1)}`,
    ...rows,
    '',
  ].join('\n');
}
