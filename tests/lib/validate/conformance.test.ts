import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rules } from '@/lib/validate/rules';
import { type Finding, validateResource, verdictOf } from '@/lib/validate/validate-resource';
import type { Profile } from '@/lib/xds/profile';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';
import { findPython } from '@/server/lab/python-client/find-python';
import { projectRoot } from '@/server/project-root';
import { CoreConformance } from '../../support/conformance/core-conformance';
import { readEnvoyAnswers, typeUrlOf, validateForEnvoy } from '../../support/envoy-answers';
import { nodeClientVerdict } from '../../support/node-client-verdict';
import { encodeResource } from './cases/mutation';
import { type ConformanceCase, conformanceCases, conformanceProviders } from './conformance-cases/all-cases';
import { envoyCases, envoyContext } from './conformance-cases/envoy-cases';

/** The reason by title of each case whose verdict differs from that of the real C-core. */
const exceptions = new Map<string, string>([
  ['socket listener: an unknown source type', 'C-core 1.51 crashes: it takes the number for an index'],
  ['endpoints: priority 4294967295', 'C-core 1.51 crashes: it makes a list of so many priorities'],
  ['endpoints: host "fe80::1%nope"', 'C-core asks the machine for its network interfaces; we do not'],
]);

/** Clients NACK it before they decode the resource, which is all that these verdicts are about. */
const namedWrong = 'cluster: a name that is xdstp: alone';

/** The verdicts of C-core and of grpc-js-xds by title, such as "ACK NACK". */
type Verdicts = Readonly<Record<string, string>>;

const fixture = path.join(projectRoot, 'tests/lib/validate/conformance-cases/verdicts.json');
const isRecording = process.env.XDSCOPE_CONFORMANCE === 'record';
const cases = conformanceCases();
const python = await findPython();
const context = { certificateProviders: new Set(conformanceProviders) };

const validated = cases.map((one) => ({
  one,
  findings: validateResource(one.typeUrl, decodeBody(one.typeUrl, one.bytes).json, context),
}));

const ofEnvoy = envoyCases.flatMap(([, typeUrl, list]) =>
  list.flatMap(([, resource, , own]) =>
    validateResource(typeUrl, decodeBody(typeUrl, encodeResource(typeUrl, resource)).json, {
      ...envoyContext,
      ...own,
    }),
  ),
);

function nodeVerdict({ typeUrl, bytes }: ConformanceCase): string {
  return nodeClientVerdict(typeUrl, bytes, conformanceProviders).verdict;
}

/** A process that ends when it uses the resource has ACKed it before. */
function decodedVerdict(findings: readonly Finding[], profile: Profile): string {
  return verdictOf(findings, profile) === 'NACK' ? 'NACK' : 'ACK';
}

function why(findings: readonly Finding[]): string {
  return findings
    .map(({ ruleId, message, reactions }) => `${ruleId} ${JSON.stringify(reactions)} ${message}`)
    .join('\n');
}

describe('verdictOf() beside the verdicts of real clients about our own cases', () => {
  const recorded: Verdicts = isRecording ? {} : JSON.parse(readFileSync(fixture, 'utf8'));

  it('every case has a name', () => {
    expect(new Set(cases.map(({ title }) => title)).size).toBe(cases.length);
  });

  it.skipIf(isRecording)('every case has a verdict', () => {
    expect(Object.keys(recorded)).toEqual(cases.map(({ title }) => title));
  });

  it.skipIf(isRecording).each(validated.map((each) => [each.one.title, each] as const))(
    '%s',
    (title, { one, findings }) => {
      const [core, node] = recorded[title]?.split(' ') ?? [];
      expect(nodeVerdict(one), 'grpc-js-xds').toBe(node);
      if (title === namedWrong) {
        expect(decodedVerdict(findings, 'node-1.14')).toBe('NACK');
        return;
      }
      expect(decodedVerdict(findings, 'node-1.14'), `node:\n${why(findings)}`).toBe(node);
      if (exceptions.has(title)) expect(decodedVerdict(findings, 'core-1.51')).not.toBe(core);
      else expect(decodedVerdict(findings, 'core-1.51'), `core:\n${why(findings)}`).toBe(core);
    },
  );

  it.skipIf(isRecording)('the table in lib/validate/conformance-table.md is current', async () => {
    await expect(formatTable(recorded)).toMatchFileSnapshot(
      path.join(projectRoot, 'lib/validate/conformance-table.md'),
    );
  });
});

describe('rules', () => {
  it('each is broken by a case with the verdict of a real client', () => {
    const ofRecorded = readEnvoyAnswers().flatMap(({ service, resource }) => {
      const typeUrl = typeUrlOf(service);
      return validateForEnvoy(typeUrl, encodeBody(typeUrl, resource)).findings;
    });
    const findings = [...validated.flatMap((each) => each.findings), ...ofEnvoy, ...ofRecorded];
    const broken = new Set(findings.map(({ ruleId }) => ruleId));
    expect(rules.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([]);
  });
});

/** One case in ten. With XDSCOPE_CONFORMANCE=record and `vitest run -u`, all cases, whose verdicts are stored. */
describe.skipIf(python.kind === 'absent')('C-core (skipped without python3-grpcio)', () => {
  const conformance = new CoreConformance(
    python.kind === 'found' ? python.command : '',
    conformanceProviders,
  );
  beforeAll(() => conformance.start());
  afterAll(() => conformance.close());

  it.runIf(isRecording)(
    'validates all cases',
    async () => {
      const verdicts: Record<string, string> = {};
      for (const one of cases) {
        const { verdict } = await conformance.validate(one.typeUrl, one.name, one.bytes);
        verdicts[one.title] = `${verdict} ${nodeVerdict(one)}`;
      }
      await expect(`${JSON.stringify(verdicts, null, 2)}\n`).toMatchFileSnapshot(fixture);
    },
    300_000,
  );

  it.skipIf(isRecording)('still has the recorded verdicts', async () => {
    const recorded: Verdicts = JSON.parse(readFileSync(fixture, 'utf8'));
    for (const one of cases.filter((_, index) => index % 10 === 0)) {
      const { verdict, error } = await conformance.validate(one.typeUrl, one.name, one.bytes);
      expect(`${one.title}: ${verdict}`, error).toBe(`${one.title}: ${recorded[one.title]?.split(' ')[0]}`);
    }
  });
});

function formatTable(recorded: Verdicts): string {
  const rows = validated.map(({ one, findings }) => {
    const cells = (['core-1.51', 'node-1.14'] as const).map((profile, index) => {
      const ours = decodedVerdict(findings, profile);
      const theirs = recorded[one.title]?.split(' ')[index] ?? 'missing';
      return ours === theirs ? ours : `${ours} (recorded: ${theirs})`;
    });
    const ids = [...new Set(findings.map(({ ruleId }) => ruleId))].join(' ');
    const title = one.title.replace(/[|\\*`]/g, (letter) => `\\${letter}`).replace(/[^ -~äé]/g, '?');
    return `| ${[title, ids, ...cells].join(' | ')} |`;
  });
  return [
    '# Our verdicts of cases of our own, beside those of real clients',
    '',
    'Made by tests/lib/validate/conformance.test.ts (`npx vitest run -u` on it writes it anew): each case was served to the',
    'real C-core 1.51 (python3-grpcio) by a real management server, and given to the decoder of grpc-js-xds 1.14.',
    `Equal: core ${cases.length - exceptions.size} of ${cases.length}, node ${cases.length} of ${cases.length}.`,
    '',
    '| Case | Rules | core 1.51 | node 1.14 |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    ...[...exceptions].map(([key, reason]) => `- ${key}: ${reason}.`),
    '',
  ].join('\n');
}
